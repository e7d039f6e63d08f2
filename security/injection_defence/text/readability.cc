#include "security/injection_defence/text/readability.h"

#include <utf8proc.h>

#include "security/injection_defence/text/utf8.h"

namespace toolgate::security::injection_defence::text {
namespace {

struct Glyph {
  uint32_t length;
  bool odd;
};

bool IsOddControl(char32_t code) {
  return (code < 0x20 && (code < '\b' || code > '\r')) || (code >= 0x80 && code < 0xA0 && code != 0x85);
}

// Code points that Unicode reserves for characters without an appearance, among the unassigned.
bool IsInvisibleReserve(char32_t code) {
  return code == 0x2065 || (code >= 0xFFF0 && code <= 0xFFF8) || (code >= 0xE0000 && code <= 0xE0FFF);
}

bool IsOddBeyondAscii(char32_t code) {
  if (code == 0xFFFD || IsOddControl(code)) return true;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  if (category == UTF8PROC_CATEGORY_CO) return true;
  return category == UTF8PROC_CATEGORY_CN && !IsInvisibleReserve(code);
}

// The code point of "\u001f" in JSON text; one of no odd character if there is none.
char32_t EscapedAt(std::string_view text, size_t at) {
  constexpr size_t kLength = 6;
  if (text.size() - at < kLength || text[at + 1] != 'u') return ' ';
  char32_t code = 0;
  for (size_t i = at + 2; i < at + kLength; ++i) {
    const char c = text[i];
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      code = code * 16 + static_cast<char32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      code = code * 16 + static_cast<char32_t>(lower - 'a' + 10);
    } else {
      return ' ';
    }
  }
  return code;
}

Glyph GlyphAt(std::string_view text, size_t at) {
  const auto byte = static_cast<uint8_t>(text[at]);
  if (byte == '\\') {
    const char32_t code = EscapedAt(text, at);
    return IsOddControl(code) || code == 0xFFFD ? Glyph{6, true} : Glyph{1, false};
  }
  if (byte < 0x80) return {1, IsOddControl(byte)};
  const Decoded decoded = DecodeUtf8(text, at);
  return {decoded.length, !decoded.ok || IsOddBeyondAscii(decoded.code)};
}

}  // namespace

Readability ReadabilityOf(std::string_view text) {
  Readability readability;
  uint32_t start = 0;   // Of the current run,
  uint32_t end = 0;     // … the end of its last readable character,
  size_t readable = 0;  // … and their number; 0: there is no run.
  bool was_odd = false;
  const auto close = [&] {
    if (readable >= Readability::kFewestReadable) readability.runs.push_back({start, end});
    readable = 0;
  };
  for (size_t at = 0; at < text.size();) {
    const Glyph glyph = GlyphAt(text, at);
    ++readability.characters;
    if (glyph.odd) {
      ++readability.odd;
      if (was_odd) close();
    } else {
      if (readable++ == 0) start = static_cast<uint32_t>(at);
      end = static_cast<uint32_t>(at + glyph.length);
    }
    was_odd = glyph.odd;
    at += glyph.length;
  }
  close();
  return readability;
}

void JoinRuns(std::string_view text, const std::vector<Stretch>& runs, TextView& out) {
  out.Clear();
  for (const Stretch& run : runs) {
    if (!out.text.empty()) out.Append('\n', run.start);
    for (uint32_t i = run.start; i < run.end; ++i) out.Append(text[i], i);
  }
}

}  // namespace toolgate::security::injection_defence::text
