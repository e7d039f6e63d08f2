// What the parts of the masker tell each other. Private to this folder.
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

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }
inline bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || IsCapital(c); }

inline constexpr std::array<bool, 256> kAlnum = [] {
  std::array<bool, 256> table = {};
  for (int c = '0'; c <= '9'; ++c) table[c] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = true;
  return table;
}();
inline bool IsAlnum(char c) { return kAlnum[static_cast<uint8_t>(c)]; }
inline bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
inline bool IsBase64Url(char c) { return IsAlnum(c) || c == '-' || c == '_'; }

// Where the characters from `at` on stop being of a kind, `max` characters on at most.
inline size_t RunEnd(std::string_view text, size_t at, bool (*in)(char), size_t max) {
  const size_t limit = std::min(text.size(), at + std::min(max, text.size()));
  while (at < limit && in(text[at])) ++at;
  return at;
}

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_MASK_HIT_H_
