#include "executors/cypher/values/json.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "executors/cypher/values/text.h"

namespace toolgate::executors::cypher::values {
namespace {

Value FromNumber(const Json& json) {
  if (json.is_number_float()) return Value(json.get<double>());
  if (json.is_number_unsigned() && json.get<uint64_t>() > std::numeric_limits<int64_t>::max()) {
    return Value(static_cast<double>(json.get<uint64_t>()));
  }
  return Value(json.get<int64_t>());
}

}  // namespace

Value FromJson(const Json& json) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number()) return FromNumber(json);
  if (json.is_string()) return Value(json.get<std::string>());
  if (json.is_array()) {
    List list;
    for (const Json& element : json) list.push_back(FromJson(element));
    return Value(std::move(list));
  }
  if (json.is_object()) {
    Map map;
    for (const auto& [key, member] : json.items()) map.emplace(key, FromJson(member));
    return Value(std::move(map));
  }
  return Value();
}

Json FloatJson(double number) { return std::isfinite(number) ? Json(number) : Json(FloatText(number)); }

}  // namespace toolgate::executors::cypher::values
