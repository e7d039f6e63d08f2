#include "security/injection_defence/decode/digit_runs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "security/injection_defence/decode/decoded_text.h"

namespace toolgate::security::injection_defence::decode {
namespace {

// Shorter runs contain too little.
constexpr size_t kMinDigits = 16;
constexpr size_t kMinLine = 12;
constexpr size_t kMaxLineBreak = 4;
// This many pieces of equal length are not words.
constexpr size_t kMinPieces = 4;
constexpr size_t kMinPiece = 2;
// Maximum number of words of the same length before the first piece.
constexpr size_t kMostBeforePieces = 3;
constexpr size_t kMinBase85 = 25;
constexpr size_t kMinBase85Line = 40;
constexpr size_t kMinDecoded = 12;

// The value of each digit, or -1.
using Digits = std::array<int8_t, 256>;

constexpr Digits NoDigits() {
  Digits digits = {};
  for (auto& value : digits) value = -1;
  return digits;
}

constexpr Digits DigitsOf(std::string_view alphabet) {
  Digits digits = NoDigits();
  int8_t value = 0;
  for (const char c : alphabet) digits[static_cast<uint8_t>(c)] = value++;
  return digits;
}

constexpr Digits MakeBase64() {
  Digits digits = DigitsOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
  digits['-'] = 62;
  digits['_'] = 63;
  return digits;
}

constexpr Digits MakeAscii85() {
  Digits digits = NoDigits();
  for (int8_t i = 0; i < 85; ++i) digits['!' + i] = i;
  return digits;
}

constexpr Digits kBase64 = MakeBase64();
constexpr Digits kBase32Upper = DigitsOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
constexpr Digits kBase32Lower = DigitsOf("abcdefghijklmnopqrstuvwxyz234567");
constexpr std::array<Digits, 3> kBase85 = {
    MakeAscii85(), DigitsOf("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"),
    DigitsOf("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#")};

int ValueOf(const Digits& digits, char c) { return digits[static_cast<uint8_t>(c)]; }

// A run of digits; `is_likely` if it is long and mixed enough to be base64.
struct Base64Reading {
  text::TextView view;
  size_t end = 0;
  bool is_likely = false;
};

// Decodes base64, possibly broken into lines, to at most `most` bytes.
Base64Reading ReadBase64(const text::TextView& in, size_t start, size_t most) {
  const std::string_view text = in.text;
  Base64Reading reading;
  uint32_t bits = 0;
  int have = 0;
  size_t digits = 0;
  size_t line_start = start;
  bool upper = false;
  bool lower = false;
  size_t i = start;
  for (; i < text.size(); ++i) {
    const int digit = Base64Digit(text[i]);
    if (digit < 0) {
      // Lines of encoded text are longer than words.
      const size_t next = std::min(text.find_first_not_of(" \r\n\t", i), text.size());
      const bool line_break = next > i && next - i <= kMaxLineBreak && i - line_start >= kMinLine &&
                              next < text.size() && Base64Digit(text[next]) >= 0;
      if (!line_break) break;
      line_start = next;
      i = next - 1;
      continue;
    }
    upper |= text[i] >= 'A' && text[i] <= 'Z';
    lower |= text[i] >= 'a' && text[i] <= 'z';
    ++digits;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    have += 6;
    if (have >= 8) {
      have -= 8;
      reading.view.Append(static_cast<char>(bits >> have & 0xFF), in.origin[i]);
      if (reading.view.text.size() > most) break;
    }
  }
  reading.is_likely = digits >= kMinDigits && upper && lower;
  reading.end = i;
  return reading;
}

// Decodes the digits from `start` on, up to the first byte that plain text cannot contain.
text::TextView Unpack(const text::TextView& packed, size_t start, const Digits& digits, int bits_per_digit) {
  text::TextView reading;
  uint32_t bits = 0;
  int have = 0;
  for (size_t i = start; i < packed.text.size(); ++i) {
    bits = bits << bits_per_digit | static_cast<uint32_t>(ValueOf(digits, packed.text[i]));
    have += bits_per_digit;
    if (have < 8) continue;
    have -= 8;
    const auto byte = static_cast<char>(bits >> have & 0xFF);
    if (!IsPlainByte(byte)) break;
    reading.Append(byte, packed.origin[i]);
  }
  return reading;
}

// Digits in one run, or in pieces of one length with a blank or a line end between them.
struct Row {
  text::TextView packed;  // The digits alone.
  size_t piece = 0;
  size_t pieces = 0;
  size_t end = 0;
};

size_t RunEnd(std::string_view text, size_t at, const Digits& digits) {
  while (at < text.size() && ValueOf(digits, text[at]) >= 0) ++at;
  return at;
}

// Position after one blank or line end at `at`; `at` if there is none.
size_t AfterBreak(std::string_view text, size_t at) {
  if (text.substr(at, 2) == "\r\n") return at + 2;
  return at < text.size() && (text[at] == ' ' || text[at] == '\n') ? at + 1 : at;
}

// The row whose first piece begins at `start`. The last one may be shorter.
Row RowAt(const text::TextView& in, size_t start, const Digits& digits) {
  Row row;
  size_t at = start;
  size_t end = RunEnd(in.text, start, digits);
  row.piece = end - start;
  while (end > at && end - at <= row.piece) {
    for (size_t i = at; i < end; ++i) row.packed.Append(in.text[i], in.origin[i]);
    ++row.pieces;
    row.end = end;
    const bool is_last = end - at < row.piece;
    at = AfterBreak(in.text, end);
    if (is_last || at == end) break;
    end = RunEnd(in.text, at, digits);
  }
  return row;
}

// Calls `take` for each row of `in`.
template <typename Take>
void ForEachRow(const text::TextView& in, const Digits& digits, Take take) {
  for (size_t i = 0; i < in.text.size();) {
    if (ValueOf(digits, in.text[i]) < 0) {
      ++i;
      continue;
    }
    const Row row = RowAt(in, i, digits);
    take(row);
    i = row.end;
  }
}

// Words of the same length may precede the first piece.
void TakeRow(const Row& row, const Digits& digits, int bits_per_digit, size_t& budget,
             std::vector<text::TextView>& out) {
  const size_t most = row.pieces > 1 ? kMostBeforePieces : 0;
  for (size_t before = 0; before <= most && before < row.pieces; ++before) {
    text::TextView reading = Unpack(row.packed, before * row.piece, digits, bits_per_digit);
    if (TakePlainText(std::move(reading), kMinDecoded, budget, out)) return;
  }
}

void FindBase32(const text::TextView& in, const Digits& digits, size_t& budget, std::vector<text::TextView>& out) {
  constexpr int kBits = 5;
  ForEachRow(in, digits, [&](const Row& row) {
    const bool in_lines = row.pieces == 1 || row.piece >= kMinLine || row.pieces >= kMinPieces;
    if (in_lines && row.packed.text.size() >= kMinDigits) TakeRow(row, digits, kBits, budget, out);
  });
}

// Decodes the base85 digits from `start` on, up to the first byte that plain text cannot contain. In the last group,
// which may be shorter, the missing digits are the highest.
text::TextView Unpack85(const text::TextView& packed, size_t start, const Digits& digits) {
  constexpr size_t kGroup = 5;
  text::TextView reading;
  for (size_t at = start; at < packed.text.size(); at += kGroup) {
    uint64_t value = 0;
    size_t have = 0;
    for (size_t i = 0; i < kGroup; ++i) {
      const int digit = have == i && at + i < packed.text.size() ? ValueOf(digits, packed.text[at + i]) : -1;
      if (digit >= 0) ++have;
      value = value * 85 + static_cast<uint64_t>(digit >= 0 ? digit : 84);
    }
    for (size_t i = 0; i + 1 < have; ++i) {
      const auto byte = static_cast<char>(value >> (24 - 8 * i) & 0xFF);
      if (!IsPlainByte(byte) || value > UINT32_MAX) return reading;
      reading.Append(byte, packed.origin[at + i]);
    }
    if (have < kGroup) break;
  }
  return reading;
}

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Everything from `start` to the next blank, and the following lines while they are long.
Row UnbrokenAt(const text::TextView& in, size_t start) {
  const std::string_view text = in.text;
  Row row;
  size_t line = start;
  for (size_t i = start; i <= text.size(); ++i) {
    if (i < text.size() && !IsBlank(text[i])) {
      row.packed.Append(text[i], in.origin[i]);
      continue;
    }
    row.end = i;
    const size_t next = AfterBreak(text, i);
    if (i == text.size() || text[i] == ' ' || next == i || i - line < kMinBase85Line) break;
    line = next;
    i = next - 1;
  }
  return row;
}

// A run may begin after the mark that begins Ascii85, or after a mark that introduces a value.
void TakeBase85(const text::TextView& packed, size_t& budget, std::vector<text::TextView>& out) {
  constexpr std::string_view kOpening = "~:=\"'([,>";
  constexpr size_t kMostStarts = 4;
  size_t starts = 0;
  for (size_t i = 0; i < packed.text.size() && starts < kMostStarts; ++i) {
    if (i > 0 && kOpening.find(packed.text[i - 1]) == std::string_view::npos) continue;
    ++starts;
    for (const Digits& digits : kBase85) {
      if (TakePlainText(Unpack85(packed, i, digits), kMinDecoded, budget, out)) return;
    }
  }
}

}  // namespace

int Base64Digit(char c) { return ValueOf(kBase64, c); }

// Characters attached to its beginning ("payload_", "data/", one letter) shift everything that follows, so if a run
// decodes to nothing, decoding is tried from the next three digits on, and after each mark near its beginning.
size_t FindBase64(const text::TextView& in, size_t start, size_t& budget, std::vector<text::TextView>& out) {
  constexpr size_t kProbe = 48;
  constexpr size_t kMostBefore = 128;
  const std::string_view text = in.text;
  Base64Reading whole = ReadBase64(in, start, budget);
  if (!whole.is_likely || TakeText(std::move(whole.view), budget, out)) return whole.end;
  const size_t last = std::min(whole.end, start + kMostBefore);
  for (size_t i = start + 1; i < last; ++i) {
    const bool after_mark = text[i - 1] == '/' || text[i - 1] == '+' || text[i - 1] == '-' || text[i - 1] == '_';
    if (i > start + 3 && !after_mark) continue;
    if (!LooksLikeText(ReadBase64(in, i, kProbe).view.text)) continue;
    Base64Reading shifted = ReadBase64(in, i, budget);
    if (shifted.is_likely && TakeText(std::move(shifted.view), budget, out)) break;
  }
  return whole.end;
}

void FindBase64Pieces(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out) {
  constexpr int kBits = 6;
  ForEachRow(in, kBase64, [&](const Row& row) {
    const bool in_pieces = row.piece >= kMinPiece && row.piece < kMinLine && row.pieces >= kMinPieces;
    if (in_pieces && row.packed.text.size() >= kMinDigits) TakeRow(row, kBase64, kBits, budget, out);
  });
}

void FindBase32(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out) {
  FindBase32(in, kBase32Upper, budget, out);
  FindBase32(in, kBase32Lower, budget, out);
}

void FindBase85(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out) {
  for (size_t i = 0; i < in.text.size();) {
    if (IsBlank(in.text[i])) {
      ++i;
      continue;
    }
    const Row row = UnbrokenAt(in, i);
    if (row.packed.text.size() >= kMinBase85) TakeBase85(row.packed, budget, out);
    i = row.end;
  }
}

}  // namespace toolgate::security::injection_defence::decode
