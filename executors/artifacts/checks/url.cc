#include "executors/artifacts/checks/url.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"

namespace toolgate::executors::artifacts::checks {
namespace {

bool IsBlankOrControl(char c) { return static_cast<unsigned char>(c) <= 0x20; }
bool IsSlash(char c) { return c == '/' || c == '\\'; }

// As a URL parser sees it: trimmed, without tabs and line breaks.
std::string Cleaned(std::string_view value) {
  while (!value.empty() && IsBlankOrControl(value.front())) value.remove_prefix(1);
  while (!value.empty() && IsBlankOrControl(value.back())) value.remove_suffix(1);
  std::string text;
  std::copy_if(value.begin(), value.end(), std::back_inserter(text),
               [](char c) { return c != '\t' && c != '\n' && c != '\r'; });
  return text;
}

// In lower case, without its colon; empty when there is none.
std::string SchemeOf(std::string_view url) {
  size_t length = 0;
  while (length < url.size() && (absl::ascii_isalnum(static_cast<unsigned char>(url[length])) || url[length] == '+' ||
                                 url[length] == '-' || url[length] == '.')) {
    ++length;
  }
  if (length == 0 || length == url.size() || url[length] != ':') return "";
  if (!absl::ascii_isalpha(static_cast<unsigned char>(url.front()))) return "";
  return absl::AsciiStrToLower(ToAbsl(url.substr(0, length)));
}

std::string HostOf(std::string_view after_scheme) {
  while (!after_scheme.empty() && IsSlash(after_scheme.front())) after_scheme.remove_prefix(1);
  std::string_view authority = after_scheme.substr(0, after_scheme.find_first_of("/\\?#"));
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
  // An IPv6 address has colons of its own, in brackets.
  const size_t address_end = !authority.empty() && authority.front() == '[' ? authority.find(']') : 0;
  authority = authority.substr(0, authority.find(':', address_end == std::string_view::npos ? 0 : address_end));
  return absl::AsciiStrToLower(ToAbsl(authority));
}

UrlKind KindOfData(std::string_view after_scheme) {
  const std::string type = absl::AsciiStrToLower(ToAbsl(after_scheme.substr(0, after_scheme.find_first_of(";,"))));
  if (absl::StartsWith(type, "image/")) return absl::StrContains(type, "svg") ? UrlKind::kDataSvg : UrlKind::kDataImage;
  for (const char* harmless : {"font/", "audio/", "video/", "application/font", "application/x-font"}) {
    if (absl::StartsWith(type, harmless)) return UrlKind::kDataImage;
  }
  return UrlKind::kScript;
}

constexpr std::array<std::string_view, 5> kWebSchemes = {"http", "https", "ws", "wss", "ftp"};
constexpr std::array<std::string_view, 3> kContactSchemes = {"mailto", "tel", "sms"};
constexpr std::array<std::string_view, 4> kScriptSchemes = {"javascript", "vbscript", "livescript", "mocha"};

}  // namespace

Url ReadUrl(std::string_view value) {
  const std::string cleaned = Cleaned(value);
  const std::string_view url = cleaned;
  if (url.empty()) return {};
  if (url.front() == '#') return {UrlKind::kFragment, ""};
  const std::string scheme = SchemeOf(url);
  if (scheme.empty()) {
    if (url.size() < 2 || !IsSlash(url[0]) || !IsSlash(url[1])) return {UrlKind::kRelative, ""};
    return {UrlKind::kWeb, url.size() == 2 ? "" : HostOf(url.substr(2))};
  }
  const std::string_view rest = url.substr(scheme.size() + 1);
  if (text::IsOneOf(scheme, kWebSchemes)) return {UrlKind::kWeb, rest.empty() ? "" : HostOf(rest)};
  if (text::IsOneOf(scheme, kScriptSchemes)) return {UrlKind::kScript, ""};
  if (text::IsOneOf(scheme, kContactSchemes)) return {UrlKind::kContact, ""};
  if (scheme == "data") return {KindOfData(rest), ""};
  return {UrlKind::kOther, ""};
}

}  // namespace toolgate::executors::artifacts::checks
