// Types and helpers shared by the parts of the masker. Private to this folder.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_MASK_HIT_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_MASK_HIT_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "security/safe_errors/masker.h"

namespace toolgate::security::safe_errors {

// Bytes [start, end) of a text are to be masked.
struct MaskHit {
  size_t start = 0;
  size_t end = 0;  // 0: no hit.
  MaskKind kind = MaskKind::kToken;
};

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || IsCapital(c); }

inline constexpr std::array<bool, 256> kAlnum = [] {
  std::array<bool, 256> table = {};
  for (int c = '0'; c <= '9'; ++c) table[c] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = true;
  return table;
}();
inline bool IsAlnum(char c) { return kAlnum[static_cast<uint8_t>(c)]; }
inline bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
inline bool IsBase64Url(char c) { return IsAlnum(c) || c == '-' || c == '_'; }
inline bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
inline bool IsBeyondAscii(char c) { return static_cast<uint8_t>(c) >= 0x80; }
inline bool IsQuote(char c) { return c == '"' || c == '\'' || c == '`'; }

// Texts of fewer bytes that are all letters are never masked: the shortest key without digits (token_forms.cc) and the
// shortest personal number that may be written without digits (an Italian tax code) have as many.
inline constexpr size_t kShortestLetters = 16;

// End of the run of characters of a kind that begins at text[at], after at most `max` bytes.
template <typename In>
size_t RunEnd(std::string_view text, size_t at, const In& in, size_t max) {
  const size_t limit = max < text.size() && at < text.size() - max ? at + max : text.size();
  while (at < limit && in(text[at])) ++at;
  return at;
}

// Number of letters and digits after text[at] that belong to an escape beginning there: "\n" and "\u000a" of a JSON
// string within this text, "%3D" of a URL. A word may begin after them. 0 if no escape begins there.
inline size_t EscapeLength(std::string_view text, size_t at) {
  const auto has_hex = [&](size_t from, size_t count) {
    return from + count <= text.size() && RunEnd(text, from, IsHex, count) == from + count;
  };
  if (text[at] == '%') return has_hex(at + 1, 2) ? 2 : 0;
  if (text[at] != '\\' || at + 1 >= text.size()) return 0;
  if (text[at + 1] == 'u') return has_hex(at + 2, 4) ? 5 : 0;
  return std::string_view("nrtbf").find(text[at + 1]) == std::string_view::npos ? 0 : 1;
}

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_MASK_HIT_H_
