#include "security/safe_errors/mail_domain.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "common/absl_bridge.h"
#include "security/safe_errors/file_types.h"
#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {
namespace {

constexpr size_t kLongestDomain = 255;

bool IsInternational(char c) { return IsLetter(c) || IsBeyondAscii(c); }

bool IsInDomain(char c) { return IsAlnum(c) || c == '-' || c == '.' || IsBeyondAscii(c); }

std::string_view WithoutPunctuation(std::string_view domain) {
  return domain.substr(0, domain.find_last_not_of(".-") + 1);
}

// Whether a dot and a letter follow something, and not as the last characters.
bool HasTopLevel(std::string_view domain) {
  for (size_t dot = domain.rfind('.'); dot != std::string_view::npos && dot > 0; dot = domain.rfind('.', dot - 1)) {
    if (dot + 1 < domain.size() && IsInternational(domain[dot + 1])) return domain.size() - dot >= 3;
  }
  return false;
}

// Whether what precedes the type of a file may be a host and is no version: "example.com", not "4.17.21", "3.7.1.min".
bool IsHost(std::string_view domain) {
  const std::string_view last = domain.substr(domain.rfind('.') + 1);
  const std::string_view others = domain.substr(0, domain.size() - last.size() - 1);
  const bool is_version = others.find('.') != std::string_view::npos &&
                          std::all_of(others.begin(), others.end(), [](char c) { return IsDigit(c) || c == '.'; });
  return !is_version &&
         (std::all_of(last.begin(), last.end(), IsInternational) || absl::StartsWithIgnoreCase(ToAbsl(last), "xn--"));
}

}  // namespace

std::string_view MailDomain(std::string_view text) {
  text = text.substr(0, kLongestDomain);
  text = text.substr(0, static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsInDomain) - text.begin()));
  std::string_view domain = WithoutPunctuation(text);
  const bool is_file = HasFileType(domain);
  while (HasFileType(domain)) {
    const size_t dot = domain.rfind('.');
    if (dot == std::string_view::npos) return {};
    domain = WithoutPunctuation(domain.substr(0, dot));
  }
  return HasTopLevel(domain) && (!is_file || IsHost(domain)) ? domain : std::string_view();
}

}  // namespace toolgate::security::safe_errors
