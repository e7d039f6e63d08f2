#include "security/param_validation/argument_guards.h"

#include "security/param_validation/value_path.h"

namespace toolgate::security::param_validation {
namespace {

// Far deeper than a parser accepts.
constexpr int kMaxGuardedDepth = 1000;

std::optional<Violation> FindBelow(const Json& value, const ValuePath* path, int depth) {
  if (depth > kMaxGuardedDepth) return Violation{PointerTo(path), "depth", "less nesting", DescribeValue(value)};
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
      if (!IsPrototypeKey(key) && !member.is_structured()) continue;
      const ValuePath here = ValuePath::Member(path, key);
      if (IsPrototypeKey(key)) {
        return Violation{PointerTo(&here), "prototypeKey", "no such key", "the key " + QuoteKey(key)};
      }
      if (auto found = FindBelow(member, &here, depth + 1)) return found;
    }
  } else if (value.is_array()) {
    ValuePath here = ValuePath::Item(path, 0);
    for (const Json& item : value.get_ref<const Json::array_t&>()) {
      if (item.is_structured()) {
        if (auto found = FindBelow(item, &here, depth + 1)) return found;
      }
      ++here.index;
    }
  }
  return std::nullopt;
}

}  // namespace

bool IsPrototypeKey(std::string_view key) {
  // Most keys differ in length.
  return key.size() >= 9 && (key == "__proto__" || key == "constructor" || key == "prototype");
}

std::optional<Violation> FindPrototypeKey(const Json& arguments) { return FindBelow(arguments, nullptr, 0); }

}  // namespace toolgate::security::param_validation
