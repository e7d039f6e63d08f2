// Lenient access to JSON that a model service sent: a member of another type than expected is as if it were absent.
#ifndef TOOLGATE_EXECUTORS_MODELS_WIRE_JSON_H_
#define TOOLGATE_EXECUTORS_MODELS_WIRE_JSON_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "common/json.h"

namespace toolgate::executors::models {

// Null if `value` is no object, has no such member, or the member is null.
inline const Json* FindMember(const Json& value, std::string_view name) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(std::string(name));
  return found == value.end() || found->is_null() ? nullptr : &*found;
}

// Empty unless the member is a string. Valid as long as `value`.
inline std::string_view TextMember(const Json& value, std::string_view name) {
  const Json* member = FindMember(value, name);
  return member != nullptr && member->is_string() ? std::string_view(member->get_ref<const std::string&>())
                                                  : std::string_view();
}

// A number of tokens, or an index: 0 unless the member is an integer above that.
inline int64_t CountMember(const Json& value, std::string_view name) {
  const Json* member = FindMember(value, name);
  if (member == nullptr || !member->is_number_integer()) return 0;
  if (member->is_number_unsigned()) {
    constexpr uint64_t kMax = std::numeric_limits<int32_t>::max();
    return static_cast<int64_t>(std::min(member->get<uint64_t>(), kMax));
  }
  return std::max<int64_t>(0, member->get<int64_t>());
}

// The elements of an array member; none if it is no array.
inline const Json& ArrayMember(const Json& value, std::string_view name) {
  static const Json* const none = new Json(Json::array());
  const Json* member = FindMember(value, name);
  return member != nullptr && member->is_array() ? *member : *none;
}

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_WIRE_JSON_H_
