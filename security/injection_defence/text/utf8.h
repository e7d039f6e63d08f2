// Reads UTF-8 one character at a time.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_UTF8_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace toolgate::security::injection_defence::text {

// One character and its length in bytes. Ill-formed input gives `ok = false`, U+FFFD and one byte.
struct Decoded {
  char32_t code = 0xFFFD;
  uint32_t length = 1;
  bool ok = false;
};

// Strict (RFC 3629): no overlong forms, surrogates or values beyond U+10FFFF. `at` is within `text`.
inline Decoded DecodeUtf8(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<uint8_t>(text[at + i]) : uint8_t{0}; };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  // Most letters beyond ASCII have two bytes.
  if (lead >= 0xC2 && lead < 0xE0 && (byte(1) & 0xC0) == 0x80) {
    return {static_cast<char32_t>((lead & 0x1F) << 6 | (byte(1) & 0x3F)), 2, true};
  }
  const uint32_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return {};
  char32_t code = lead & (0x7Fu >> length);
  for (uint32_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, length, true};
}

// True if no byte is above 0x7F. Examines eight bytes at once.
inline bool IsAscii(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  uint64_t eight = 0;
  size_t i = 0;
  for (; i + sizeof(eight) <= text.size(); i += sizeof(eight)) {
    std::memcpy(&eight, text.data() + i, sizeof(eight));
    if ((eight & kHighBits) != 0) return false;
  }
  for (; i < text.size(); ++i) {
    if (static_cast<uint8_t>(text[i]) >= 0x80) return false;
  }
  return true;
}

inline std::string EncodeUtf8(char32_t code) {
  std::string out;
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0 | code >> 6));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | code >> 12));
    out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | code >> 18));
    out.push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
  return out;
}

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_UTF8_H_
