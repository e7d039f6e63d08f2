#include "security/injection_defence/decode/code_rows.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "security/injection_defence/decode/decoded_text.h"
#include "security/injection_defence/text/utf8.h"

namespace toolgate::security::injection_defence::decode {
namespace {

constexpr size_t kMinCodes = 8;
// Characters allowed between two numbers of one row, and their maximum number.
constexpr std::string_view kBetweenNumbers = " ,;-\r\n\t";
constexpr size_t kMaxBetween = 4;
constexpr std::string_view kBetweenBits = " ,;-_|\r\n\t";
constexpr std::string_view kBetweenMorse = " /|\r\n\t";
constexpr size_t kMinMorse = 12;
constexpr size_t kLongestMorse = 6;
// More blanks than this end a row of Morse.
constexpr size_t kWidestGap = 8;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAsciiWord(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Skips the characters that are allowed between two codes.
size_t SkipBetween(std::string_view text, size_t at, std::string_view marks) {
  const size_t most = std::min(text.size(), at + kMaxBetween);
  while (at < most && marks.find(text[at]) != std::string_view::npos) ++at;
  return at;
}

// A character's number of two or three digits; `base` is 8 or 10.
struct Number {
  char character;
  size_t end;
};
std::optional<Number> NumberAt(std::string_view text, size_t at, int base) {
  if (base == 8 && text.substr(at, 2) == "0o") at += 2;
  if (base == 8 && at < text.size() && text[at] == '0') ++at;
  int code = 0;
  size_t end = at;
  for (; end < text.size() && IsDigit(text[end]) && end - at < 4; ++end) {
    if (text[end] - '0' >= base) return std::nullopt;
    code = code * base + (text[end] - '0');
  }
  const bool ends = end == text.size() || !IsAsciiWord(text[end]);
  if (end == at || !ends || code > 0x7E || !IsPlainByte(static_cast<char>(code))) return std::nullopt;
  return Number{static_cast<char>(code), end};
}

void FindNumberRows(const text::TextView& in, int base, size_t& budget, std::vector<text::TextView>& out) {
  const std::string_view text = in.text;
  for (size_t i = 0; i < text.size();) {
    const bool starts = IsDigit(text[i]) && (i == 0 || !IsAsciiWord(text[i - 1]));
    if (!starts) {
      ++i;
      continue;
    }
    text::TextView reading;
    size_t next = i;
    for (std::optional<Number> number; next < text.size() && (number = NumberAt(text, next, base)).has_value();) {
      reading.Append(number->character, in.origin[next]);
      const size_t after = SkipBetween(text, number->end, kBetweenNumbers);
      next = after;
      if (after == number->end) break;
    }
    if (reading.text.size() >= kMinCodes) TakeText(std::move(reading), budget, out);
    i = std::max(next, i + 1);
  }
}

// Zeros, ones and their separators, from `start` on.
struct Bits {
  text::TextView packed;
  size_t end = 0;
};
Bits BitsAt(const text::TextView& in, size_t start) {
  const std::string_view text = in.text;
  Bits bits;
  bits.end = start;
  for (size_t at = start; at < text.size();) {
    size_t end = at;
    while (end < text.size() && (text[end] == '0' || text[end] == '1')) ++end;
    if (end == at || (end < text.size() && IsAsciiWord(text[end]))) break;
    for (size_t i = at; i < end; ++i) bits.packed.Append(text[i], in.origin[i]);
    bits.end = end;
    at = SkipBetween(text, end, kBetweenBits);
    if (at == end) break;
  }
  return bits;
}

// Reads `width` bits per character from the `first` on, up to the first byte that plain text cannot contain.
text::TextView ReadBits(const text::TextView& packed, size_t first, size_t width) {
  text::TextView reading;
  for (size_t at = first; at + width <= packed.text.size(); at += width) {
    int code = 0;
    for (size_t i = 0; i < width; ++i) code = code * 2 + (packed.text[at + i] - '0');
    if (code > 0x7E || !IsPlainByte(static_cast<char>(code))) break;
    reading.Append(static_cast<char>(code), packed.origin[at]);
  }
  return reading;
}

void TakeBits(const text::TextView& packed, size_t& budget, std::vector<text::TextView>& out) {
  for (const size_t width : {size_t{8}, size_t{7}}) {
    // Unrelated digits may precede them.
    for (size_t first = 0; first < width; ++first) {
      if (TakePlainText(ReadBits(packed, first, width), kMinCodes, budget, out)) return;
    }
  }
}

// Bytes of a dot or a dash at `at`, in one of the ways to write them.
struct MorseMark {
  bool dash;
  uint32_t bytes;
};
std::optional<MorseMark> MorseMarkAt(std::string_view text, size_t at) {
  const text::Decoded decoded = text::DecodeUtf8(text, at);
  switch (decoded.code) {
    case '.':
    case '*':
    case 0xB7:    // Middle dot.
    case 0x2022:  // Bullet.
    case 0x22C5:  // Dot operator.
      return MorseMark{false, decoded.length};
    case '-':
    case '_':
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2212:  // Minus.
      return MorseMark{true, decoded.length};
    default:
      return std::nullopt;
  }
}

// The character for these dots and dashes, '\0' for none. In `code`, a leading one is followed by a bit for each.
char MorseSign(uint32_t code) {
  // By code: E and T, then all of two marks, and so on, dots before dashes.
  constexpr std::string_view kUpToFour = "??etianmsurwdkgohvf?l?pjbxcyzq??";
  if (code < kUpToFour.size()) return kUpToFour[code] == '?' ? '\0' : kUpToFour[code];
  constexpr std::pair<uint32_t, char> kLonger[] = {
      {0b111111, '0'},  {0b101111, '1'},   {0b100111, '2'},  {0b100011, '3'},  {0b100001, '4'},  {0b100000, '5'},
      {0b110000, '6'},  {0b111000, '7'},   {0b111100, '8'},  {0b111110, '9'},  {0b1010101, '.'}, {0b1110011, ','},
      {0b1001100, '?'}, {0b1011110, '\''}, {0b1101011, '!'}, {0b110010, '/'},  {0b1111000, ':'}, {0b1101010, ';'},
      {0b110001, '='},  {0b101010, '+'},   {0b1100001, '-'}, {0b1010010, '"'}, {0b1011010, '@'}};
  for (const auto& [known, sign] : kLonger) {
    if (known == code) return sign;
  }
  return '\0';
}

// One row of signs that begins at `start`.
struct Morse {
  text::TextView reading;
  size_t end = 0;
};
Morse MorseAt(const text::TextView& in, size_t start) {
  const std::string_view text = in.text;
  Morse morse;
  for (size_t at = start; at < text.size();) {
    uint32_t code = 1;
    size_t marks = 0;
    size_t end = at;
    for (std::optional<MorseMark> mark; end < text.size() && (mark = MorseMarkAt(text, end)).has_value(); ++marks) {
      if (marks <= kLongestMorse) code = code << 1 | uint32_t{mark->dash};
      end += mark->bytes;
    }
    const bool ends = end == text.size() || !IsAsciiWord(text[end]);
    const char sign = marks > 0 && marks <= kLongestMorse && ends ? MorseSign(code) : '\0';
    morse.end = std::max(end, start + 1);
    if (sign == '\0') break;
    morse.reading.Append(sign, in.origin[at]);
    // One blank ends a letter; more of them, a stroke or a line's end a word.
    size_t next = end;
    while (next < text.size() && next - end < kWidestGap && kBetweenMorse.find(text[next]) != std::string_view::npos) {
      ++next;
    }
    const bool one_blank = next - end == 1 && text[end] == ' ';
    if (next > end && !one_blank && next < text.size()) morse.reading.Append(' ', in.origin[end]);
    if (next == end) break;
    at = morse.end = next;
  }
  return morse;
}

}  // namespace

void FindDecimalRows(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out) {
  FindNumberRows(in, 10, budget, out);
}

void FindOctalRows(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out) {
  FindNumberRows(in, 8, budget, out);
}

void FindBits(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out) {
  for (size_t i = 0; i < in.text.size();) {
    const bool starts = (in.text[i] == '0' || in.text[i] == '1') && (i == 0 || !IsAsciiWord(in.text[i - 1]));
    if (!starts) {
      ++i;
      continue;
    }
    const Bits bits = BitsAt(in, i);
    if (bits.packed.text.size() >= kMinCodes * 7) TakeBits(bits.packed, budget, out);
    i = std::max(bits.end, i + 1);
  }
}

void FindMorse(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out) {
  for (size_t i = 0; i < in.text.size();) {
    if (!MorseMarkAt(in.text, i).has_value()) {
      ++i;
      continue;
    }
    Morse morse = MorseAt(in, i);
    TakePlainText(std::move(morse.reading), kMinMorse, budget, out);
    i = morse.end;
  }
}

}  // namespace toolgate::security::injection_defence::decode
