// References between schemas (RFC 3986).
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_URI_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_URI_H_

#include <optional>
#include <string>
#include <string_view>

namespace toolgate::security::param_validation {

// The five parts of a URI reference; views into the split text. Absent and empty differ.
struct UriParts {
  std::optional<std::string_view> scheme;
  std::optional<std::string_view> authority;
  std::string_view path;
  std::optional<std::string_view> query;
  std::optional<std::string_view> fragment;
};

// Splits without checking characters; every text can be split.
UriParts SplitUri(std::string_view text);

// Resolves `reference` against `base` (section 5.2), including the fragment. A base without a scheme is used as far as
// possible.
std::string ResolveUri(std::string_view base, std::string_view reference);

// Replaces every %XX of the text; malformed escapes stay unchanged.
std::string PercentDecode(std::string_view text);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_URI_H_
