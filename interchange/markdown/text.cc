#include "interchange/markdown/text.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate::interchange::markdown {
namespace {

std::string Escaped(std::string_view text, std::string_view special) {
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    if (special.find(text[i]) != std::string_view::npos) escaped += '\\';
    // The library reads entities before escapes: a backslash before an entity would not help.
    absl::StrAppend(&escaped, BeginsEntity(text.substr(i)) ? "&amp;" : ToAbsl(text.substr(i, 1)));
  }
  return escaped;
}

bool HasEntity(std::string_view text) {
  for (size_t i = text.find('&'); i != std::string_view::npos; i = text.find('&', i + 1)) {
    if (BeginsEntity(text.substr(i))) return true;
  }
  return false;
}

constexpr std::array<std::string_view, 4> kAlertIcons = {"tip", "important", "warning", "caution"};

}  // namespace

std::string CleanText(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte != 0x7F) || c == '\n' || c == '\t') clean += c;
  }
  return clean;
}

std::string CleanLine(std::string_view text) {
  std::string clean = CleanText(text);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return std::string(FromAbsl(absl::StripAsciiWhitespace(clean)));
}

bool BeginsEntity(std::string_view text) {
  if (text.size() < 3 || text[0] != '&') return false;
  size_t end = text[1] == '#' ? 2 : 1;
  while (end < text.size() && absl::ascii_isalnum(static_cast<unsigned char>(text[end]))) ++end;
  return end < text.size() && text[end] == ';';
}

std::string LinkTarget(std::string_view url, std::string_view title) {
  const bool plain =
      !url.empty() && url.front() != '<' && !HasEntity(url) && url.find_first_of(" \t\n\\()") == std::string_view::npos;
  std::string target = plain ? std::string(url) : absl::StrCat("<", Escaped(url, "\\<>"), ">");
  if (!title.empty()) absl::StrAppend(&target, " \"", Escaped(title, "\\\""), "\"");
  return target;
}

std::string CalloutIcon(std::string_view name) {
  for (const std::string_view icon : kAlertIcons) {
    if (CalloutName(icon) == name) return std::string(icon);
  }
  return std::string(name);
}

std::string CalloutName(std::string_view icon) {
  if (icon.empty()) return std::string(kPlainCallout);
  const bool alert = std::find(kAlertIcons.begin(), kAlertIcons.end(), icon) != kAlertIcons.end();
  return alert ? absl::AsciiStrToUpper(ToAbsl(icon)) : std::string(icon);
}

}  // namespace toolgate::interchange::markdown
