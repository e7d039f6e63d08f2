#include "executors/web_search/source_text.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/absl_bridge.h"
#include "common/http/http_url.h"
#include "common/text/cut_text.h"

namespace toolgate::executors::web_search {
namespace {

constexpr size_t kMaxUrlBytes = 2048;
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool IsAlnum(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }

// Code point of the character that begins `text`, and its length in bytes.
struct Character {
  char32_t code = 0;
  size_t bytes = 1;
};

Character FirstOf(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 1 || text.size() < length) return {lead, 1};
  char32_t code = lead & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  return {code, length};
}

struct CodeRange {
  char32_t first;
  char32_t last;
};

// Characters of the categories Zs, Zl and Zp, and those that ASCII calls blanks.
constexpr std::array<CodeRange, 8> kBlanks = {{{0x09, 0x0D},
                                               {0x20, 0x20},
                                               {0x85, 0x85},
                                               {0xA0, 0xA0},
                                               {0x2000, 0x200A},
                                               {0x2028, 0x2029},
                                               {0x202F, 0x205F},
                                               {0x3000, 0x3000}}};
// Controls, and characters that nobody sees: soft hyphen, zero-width and bidirectional ones, variation selectors, byte
// order mark, annotations, tags. The zero-width joiners stay, which some scripts need.
constexpr std::array<CodeRange, 13> kInvisible = {{{0x00, 0x1F},
                                                   {0x7F, 0x9F},
                                                   {0xAD, 0xAD},
                                                   {0x061C, 0x061C},
                                                   {0x180E, 0x180E},
                                                   {0x200B, 0x200B},
                                                   {0x200E, 0x200F},
                                                   {0x202A, 0x202E},
                                                   {0x2060, 0x206F},
                                                   {0xFE00, 0xFE0F},
                                                   {0xFEFF, 0xFEFF},
                                                   {0xFFF9, 0xFFFB},
                                                   {0xE0000, 0xE0FFF}}};

template <size_t kCount>
bool IsIn(const std::array<CodeRange, kCount>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const CodeRange& range) { return range.first <= code && code <= range.last; });
}

bool IsHost(std::string_view host) {
  if (host.starts_with('[')) {
    if (!host.ends_with(']') || host.size() < 4) return false;
    host = host.substr(1, host.size() - 2);
    return std::all_of(host.begin(), host.end(), [](char c) {
      return absl::ascii_isxdigit(static_cast<unsigned char>(c)) || c == ':' || c == '.';
    });
  }
  return !host.empty() && !host.starts_with('.') &&
         std::all_of(host.begin(), host.end(), [](char c) { return IsAlnum(c) || c == '-' || c == '.' || c == '_'; });
}

// Host and port, without user information.
bool IsAuthority(std::string_view authority) {
  const size_t colon = authority.rfind(':');
  if (colon == std::string_view::npos || authority.ends_with(']')) return IsHost(authority);
  const std::string_view port = authority.substr(colon + 1);
  return IsHost(authority.substr(0, colon)) && port.size() <= 5 && std::all_of(port.begin(), port.end(), [](char c) {
           return absl::ascii_isdigit(static_cast<unsigned char>(c));
         });
}

// Unreserved and reserved characters, but for those that end a link in Markdown or HTML.
bool MayStand(char c) { return IsAlnum(c) || std::string_view("-._~:/?#@!$&*+,;=%").find(c) != std::string_view::npos; }

std::string EncodeRest(std::string_view rest) {
  std::string encoded;
  for (const char c : rest) {
    if (MayStand(c)) {
      encoded.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded.append({'%', kHexDigits[byte >> 4], kHexDigits[byte & 0xF]});
    }
  }
  return encoded;
}

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); });
}

}  // namespace

std::string CleanLine(std::string_view text, size_t max_bytes) {
  std::string line;
  bool blank = false;
  while (!text.empty()) {
    const Character character = FirstOf(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
    if (IsIn(kBlanks, character.code)) {
      blank = !line.empty();
    } else if (!IsIn(kInvisible, character.code)) {
      if (blank) line.push_back(' ');
      blank = false;
      line.append(bytes);
    }
    if (line.size() > max_bytes) break;
  }
  return text::CutText(std::move(line), max_bytes);
}

std::optional<std::string> CleanUrl(std::string_view url) {
  url = FromAbsl(absl::StripAsciiWhitespace(ToAbsl(url)));
  if (!http::HasHttpScheme(url) || HasControl(url)) return std::nullopt;
  const bool secure = absl::StartsWithIgnoreCase(ToAbsl(url), "https://");
  const std::string_view scheme = secure ? "https://" : "http://";
  url.remove_prefix(scheme.size());
  // A backslash is left in the authority, which makes it none: browsers and other programs disagree where it ends.
  const size_t end = std::min(url.find_first_of("/?#"), url.size());
  const std::string_view authority = url.substr(0, end);
  if (!IsAuthority(authority)) return std::nullopt;
  std::string clean =
      absl::StrCat(ToAbsl(scheme), absl::AsciiStrToLower(ToAbsl(authority)), EncodeRest(url.substr(end)));
  if (clean.size() > kMaxUrlBytes) return std::nullopt;
  return clean;
}

std::string PageKey(std::string_view url) {
  url = url.substr(0, url.find('#'));
  absl::string_view key = ToAbsl(url.substr(url.find("://") + 3));
  absl::ConsumePrefix(&key, "www.");
  absl::ConsumeSuffix(&key, "/");
  return std::string(key);
}

}  // namespace toolgate::executors::web_search
