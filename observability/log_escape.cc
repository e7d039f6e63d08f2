#include "observability/log_escape.h"

#include <cstdint>

namespace toolgate::observability {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";     // U+2026

struct Decoded {
  uint32_t character = 0;
  size_t length = 0;  // 0: ill-formed.
};

// Decodes a character of two to four bytes; refuses overlong forms, surrogates and values beyond U+10FFFF.
Decoded DecodeMultibyte(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  uint32_t character = first & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    character = character << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (character < kSmallest[length] || character > 0x10FFFF) return {};
  if (character >= 0xD800 && character <= 0xDFFF) return {};
  return {character, length};
}

bool IsUnsafe(uint32_t character) {
  return (character >= 0x80 && character <= 0x9F) ||      // C1 controls; a terminal obeys some.
         (character >= 0x200E && character <= 0x200F) ||  // Direction marks.
         (character >= 0x2028 && character <= 0x202E) ||  // Separators, embeddings and overrides.
         (character >= 0x2066 && character <= 0x2069) ||  // Isolates.
         character == 0x061C || character == 0xFEFF;
}

void AppendUnicodeEscape(uint32_t character, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(character >> shift) & 15];
}

void AppendAscii(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
        AppendUnicodeEscape(static_cast<unsigned char>(c), out);
      } else {
        out += c;
      }
  }
}

bool IsPlain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

size_t PlainPrefix(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && IsPlain(text[length])) ++length;
  return length;
}

// Appends the first character of `text` and returns the number of bytes of `text` that it used.
size_t AppendCharacter(std::string_view text, std::string& out) {
  if ((static_cast<unsigned char>(text[0]) & 0x80) == 0) {
    AppendAscii(text[0], out);
    return 1;
  }
  const Decoded decoded = DecodeMultibyte(text);
  if (decoded.length == 0) {
    out += kReplacement;
    return 1;
  }
  if (IsUnsafe(decoded.character)) {
    AppendUnicodeEscape(decoded.character, out);
  } else {
    out += text.substr(0, decoded.length);
  }
  return decoded.length;
}

}  // namespace

void AppendEscaped(std::string_view text, size_t max_bytes, std::string& out) {
  const size_t limit = out.size() + max_bytes;
  for (size_t at = 0; at < text.size();) {
    const size_t plain = PlainPrefix(text.substr(at, limit - out.size()));
    out += text.substr(at, plain);
    at += plain;
    if (at == text.size()) return;
    const size_t before = out.size();
    at += AppendCharacter(text.substr(at), out);
    if (out.size() <= limit) continue;
    out.resize(before);
    out += kEllipsis;
    return;
  }
}

}  // namespace toolgate::observability
