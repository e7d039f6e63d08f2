#include "security/param_validation/argument_guards.h"

#include "security/param_validation/value_path.h"

namespace toolgate::security::param_validation {
namespace {

// Far deeper than what a parser lets in.
constexpr int kMaxDepth = 1000;

std::optional<Violation> FindBelow(const Json& value, const ValuePath* path, int depth) {
  if (depth > kMaxDepth) return Violation{PointerTo(path), "depth", "less nesting", DescribeValue(value)};
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
      const ValuePath here = ValuePath::Member(path, key);
      if (IsPrototypeKey(key)) {
        return Violation{PointerTo(&here), "prototypeKey", "no such key", "the key " + QuoteKey(key)};
      }
      if (!member.is_structured()) continue;
      if (auto found = FindBelow(member, &here, depth + 1)) return found;
    }
  } else if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) {
      if (!value[i].is_structured()) continue;
      const ValuePath here = ValuePath::Item(path, i);
      if (auto found = FindBelow(value[i], &here, depth + 1)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace

bool IsPrototypeKey(std::string_view key) { return key == "__proto__" || key == "constructor" || key == "prototype"; }

std::optional<Violation> FindPrototypeKey(const Json& arguments) { return FindBelow(arguments, nullptr, 0); }

}  // namespace toolgate::security::param_validation
