#include "security/param_validation/value_path.h"

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/utf8.h"
#include "security/param_validation/json_number.h"

namespace toolgate::security::param_validation {
namespace {

constexpr size_t kMaxKeyCharacters = 64;
constexpr std::string_view kEllipsis = "…";

std::string Shorten(std::string_view key) {
  const std::string_view shown = text::PrefixOfCharacters(key, kMaxKeyCharacters);
  return shown.size() == key.size() ? std::string(key) : absl::StrCat(ToAbsl(shown), ToAbsl(kEllipsis));
}

std::string Counted(size_t count, std::string_view noun, std::string_view plural) {
  return absl::StrCat(count, " ", ToAbsl(count == 1 ? noun : plural));
}

}  // namespace

std::string PointerTo(const ValuePath* path) { return JsonPointer(path, Shorten); }

std::string UnescapePointerToken(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else {
      out += token[i];
    }
  }
  return out;
}

std::string DescribeValue(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "boolean";
    case Json::value_t::string:
      return "string of " + Counted(CountCodePoints(value.get_ref<const std::string&>()), "character", "characters");
    case Json::value_t::array:
      return "array of " + Counted(value.size(), "item", "items");
    case Json::value_t::object:
      return "object with " + Counted(value.size(), "key", "keys");
    default:
      return IsInteger(value) ? "integer" : "number";
  }
}

std::string QuoteKey(std::string_view key) { return DumpJson(Json(Shorten(key))); }

size_t CountCodePoints(std::string_view utf8) { return text::CountCharacters(utf8); }

}  // namespace toolgate::security::param_validation
