#include "security/param_validation/json_equal.h"

#include <compare>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "security/param_validation/json_number.h"

namespace toolgate::security::param_validation {
namespace {

// For this few items, comparing each pair is faster than hashing.
constexpr size_t kFewItems = 8;
constexpr size_t kFewMembers = 16;

bool ObjectsEqual(const Json::object_t& left, const Json::object_t& right) {
  if (left.size() != right.size()) return false;
  if (left.size() <= kFewMembers) {
    for (const auto& [key, value] : left) {
      const auto found = right.find(key);
      if (found == right.end() || !JsonEqual(value, found->second)) return false;
    }
    return true;
  }
  absl::flat_hash_map<std::string, const Json*> members;
  members.reserve(right.size());
  for (const auto& [key, value] : right) members.emplace(key, &value);
  for (const auto& [key, value] : left) {
    const auto found = members.find(key);
    if (found == members.end() || !JsonEqual(value, *found->second)) return false;
  }
  return true;
}

bool ArraysEqual(const Json& left, const Json& right) {
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (!JsonEqual(left[i], right[i])) return false;
  }
  return true;
}

}  // namespace

bool JsonEqual(const Json& left, const Json& right) {
  if (left.is_number()) return right.is_number() && std::is_eq(CompareNumbers(left, right));
  if (left.type() != right.type()) return false;
  switch (left.type()) {
    case Json::value_t::object:
      return ObjectsEqual(left.get_ref<const Json::object_t&>(), right.get_ref<const Json::object_t&>());
    case Json::value_t::array:
      return ArraysEqual(left, right);
    case Json::value_t::string:
      return left.get_ref<const std::string&>() == right.get_ref<const std::string&>();
    case Json::value_t::boolean:
      return left.get<bool>() == right.get<bool>();
    default:
      return true;
  }
}

size_t JsonHash(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object: {
      // A sum, because the order of keys must not matter.
      size_t sum = value.size();
      for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
        sum += absl::HashOf(key, JsonHash(member));
      }
      return absl::HashOf('o', sum);
    }
    case Json::value_t::array: {
      size_t hash = absl::HashOf('a', value.size());
      for (const Json& item : value) hash = absl::HashOf(hash, JsonHash(item));
      return hash;
    }
    case Json::value_t::string:
      return absl::HashOf('s', value.get_ref<const std::string&>());
    case Json::value_t::boolean:
      return absl::HashOf('b', value.get<bool>());
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return absl::HashOf('n', value.get<double>());
    default:
      return absl::HashOf('0');
  }
}

std::optional<std::pair<size_t, size_t>> FindEqualItems(const Json& array) {
  if (array.size() <= kFewItems) {
    for (size_t later = 1; later < array.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        if (JsonEqual(array[earlier], array[later])) return std::pair(earlier, later);
      }
    }
    return std::nullopt;
  }
  absl::flat_hash_map<size_t, absl::InlinedVector<size_t, 1>> by_hash;
  by_hash.reserve(array.size());
  for (size_t later = 0; later < array.size(); ++later) {
    auto& same_hash = by_hash[JsonHash(array[later])];
    for (const size_t earlier : same_hash) {
      if (JsonEqual(array[earlier], array[later])) return std::pair(earlier, later);
    }
    same_hash.push_back(later);
  }
  return std::nullopt;
}

}  // namespace toolgate::security::param_validation
