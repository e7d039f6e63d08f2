#include "security/injection_defence/decoder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "security/injection_defence/utf8.h"

namespace toolgate::security::injection_defence {
namespace {

constexpr size_t kMinBase64 = 16;
constexpr size_t kMinBase64Line = 12;
constexpr size_t kMaxLineBreak = 4;
constexpr size_t kMinHexPairs = 8;
constexpr size_t kMinCodes = 8;
// The longest HTML entity that is looked at, without '&' and ';'.
constexpr size_t kMaxEntity = 16;
// What may stand between two numbers of one run, and how much of it.
constexpr std::string_view kBetweenHex = " ,;:\\x-\r\n\t";
constexpr std::string_view kBetweenNumbers = " ,;-\r\n\t";
constexpr size_t kMaxBetween = 4;
// What stands around an encoded text may have been read with it.
constexpr size_t kMinStretch = 24;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::array<int8_t, 256> MakeBase64() {
  std::array<int8_t, 256> table = {};
  for (auto& value : table) value = -1;
  for (int i = 0; i < 26; ++i) {
    table['A' + i] = static_cast<int8_t>(i);
    table['a' + i] = static_cast<int8_t>(26 + i);
  }
  for (int i = 0; i < 10; ++i) table['0' + i] = static_cast<int8_t>(52 + i);
  table['+'] = table['-'] = 62;
  table['/'] = table['_'] = 63;
  return table;
}
constexpr std::array<int8_t, 256> kBase64 = MakeBase64();

int Base64Digit(char c) { return kBase64[static_cast<uint8_t>(c)]; }

// Hardly a control character, well-formed but for its end, and either mostly letters and blanks, or nothing but ASCII:
// what is encoded twice has few letters.
bool LooksLikeText(std::string_view bytes) {
  if (bytes.size() < 6) return false;
  size_t good = 0;
  size_t bad = 0;
  bool ascii = true;
  for (size_t i = 0; i < bytes.size();) {
    const Decoded decoded = DecodeUtf8(bytes, i);
    const char32_t c = decoded.code;
    ascii &= c < 0x80;
    if (!decoded.ok || (c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7F) {
      // A run that was cut may end inside of a character.
      if (i + 4 < bytes.size()) ++bad;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || c >= 0x80) {
      good += decoded.length;
    }
    i += decoded.length;
  }
  return bad * 50 <= bytes.size() && ((ascii && bad == 0) || good * 10 >= bytes.size() * 6);
}

// The longest stretch without a byte that no text has; empty when it is short.
TextView LongestStretch(const TextView& reading) {
  size_t best = 0;
  size_t best_end = 0;
  size_t start = 0;
  for (size_t i = 0; i <= reading.text.size(); ++i) {
    const uint8_t byte = i < reading.text.size() ? static_cast<uint8_t>(reading.text[i]) : 0;
    if (byte >= 0x20 ? byte < 0x7F : byte == '\n' || byte == '\t' || byte == '\r') continue;
    if (i - start > best) {
      best = i - start;
      best_end = i;
    }
    start = i + 1;
  }
  TextView stretch;
  if (best < kMinStretch) return stretch;
  stretch.text = reading.text.substr(best_end - best, best);
  stretch.origin.assign(reading.origin.begin() + static_cast<ptrdiff_t>(best_end - best),
                        reading.origin.begin() + static_cast<ptrdiff_t>(best_end));
  return stretch;
}

// Whether it was one.
bool Take(TextView reading, size_t& budget, std::vector<TextView>& out) {
  if (!LooksLikeText(reading.text)) {
    reading = LongestStretch(reading);
    if (!LooksLikeText(reading.text)) return false;
  }
  if (reading.text.size() > budget) return true;
  budget -= reading.text.size();
  out.push_back(std::move(reading));
  return true;
}

// Whether what was read from `start` on is long and mixed enough to be base64.
struct Base64Reading {
  TextView view;
  size_t end = 0;
  bool is_likely = false;
};

// Base64, possibly broken into lines: at most `most` bytes of what it stands for.
Base64Reading ReadBase64(const TextView& in, size_t start, size_t most) {
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
      const bool line_break = next > i && next - i <= kMaxLineBreak && i - line_start >= kMinBase64Line &&
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
  reading.is_likely = digits >= kMinBase64 && upper && lower;
  reading.end = i;
  return reading;
}

// Answers where the run ends. What is stuck to its beginning ("payload_", "data/", one letter) shifts all that follows,
// so that a run which says nothing is tried from the next three digits on, and after each mark near its beginning.
size_t Base64Run(const TextView& in, size_t start, size_t& budget, std::vector<TextView>& out) {
  constexpr size_t kProbe = 48;
  constexpr size_t kMostBefore = 128;
  const std::string_view text = in.text;
  Base64Reading whole = ReadBase64(in, start, budget);
  if (!whole.is_likely || Take(std::move(whole.view), budget, out)) return whole.end;
  const size_t last = std::min(whole.end, start + kMostBefore);
  for (size_t i = start + 1; i < last; ++i) {
    const bool after_mark = text[i - 1] == '/' || text[i - 1] == '+' || text[i - 1] == '-' || text[i - 1] == '_';
    if (i > start + 3 && !after_mark) continue;
    if (!LooksLikeText(ReadBase64(in, i, kProbe).view.text)) continue;
    Base64Reading shifted = ReadBase64(in, i, budget);
    if (shifted.is_likely && Take(std::move(shifted.view), budget, out)) break;
  }
  return whole.end;
}

// Pairs of hex digits, bare or each after the same short mark: "69 67", "0x69,0x67", "\x69\x67".
size_t HexRun(const TextView& in, size_t start, size_t& budget, std::vector<TextView>& out) {
  const std::string_view text = in.text;
  TextView reading;
  size_t i = start;
  while (i + 1 < text.size()) {
    const int high = HexDigit(text[i]);
    const int low = HexDigit(text[i + 1]);
    if (high < 0 || low < 0) break;
    reading.Append(static_cast<char>(high << 4 | low), in.origin[i]);
    i += 2;
    size_t skipped = 0;
    while (skipped < kMaxBetween && i < text.size() && kBetweenHex.find(text[i]) != std::string_view::npos) {
      ++i;
      ++skipped;
    }
    if (i + 1 < text.size() && text[i] == '0' && (text[i + 1] == 'x' || text[i + 1] == 'X')) i += 2;
  }
  if (reading.text.size() >= kMinHexPairs) Take(std::move(reading), budget, out);
  return std::max(i, start + 1);
}

struct Escape {
  char32_t code = 0;
  size_t length = 0;
  bool is_byte = false;
};

std::optional<char32_t> HexNumber(std::string_view digits) {
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  if (digits.empty() || digits.size() > 6) return std::nullopt;
  char32_t value = 0;
  for (const char c : digits) {
    const int digit = HexDigit(c);
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<char32_t>(digit);
  }
  return value <= 0x10FFFF ? std::optional<char32_t>(value) : std::nullopt;
}

std::optional<char32_t> NamedEntity(std::string_view name) {
  constexpr std::pair<std::string_view, char32_t> kNames[] = {
      {"amp", '&'},    {"lt", '<'},       {"gt", '>'},    {"quot", '"'}, {"apos", '\''}, {"nbsp", ' '},   {"num", '#'},
      {"lbrack", '['}, {"rbrack", ']'},   {"colon", ':'}, {"sol", '/'},  {"excl", '!'},  {"period", '.'}, {"vert", '|'},
      {"Tab", '\t'},   {"NewLine", '\n'}, {"lsqb", '['},  {"rsqb", ']'}, {"comma", ','}, {"equals", '='}};
  for (const auto& [known, code] : kNames) {
    if (name == known) return code;
  }
  return std::nullopt;
}

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

// The end of a numeric entity without a semicolon, which browsers read as well.
size_t NumberEnd(std::string_view window) {
  const bool hex = window.size() > 1 && (window[1] == 'x' || window[1] == 'X');
  size_t end = hex ? 2 : 1;
  while (end < window.size() && (hex ? HexDigit(window[end]) >= 0 : window[end] >= '0' && window[end] <= '9')) ++end;
  return end;
}

std::optional<Escape> EntityAt(std::string_view text, size_t at) {
  const std::string_view window = text.substr(at + 1, kMaxEntity + 1);
  if (window.empty()) return std::nullopt;
  const bool numeric = window[0] == '#';
  const size_t end = numeric ? NumberEnd(window) : window.find(';');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const size_t length = end + (end < window.size() && window[end] == ';' ? 2 : 1);
  const std::string_view name = window.substr(0, end);
  std::optional<char32_t> code;
  if (name[0] != '#') {
    code = NamedEntity(name);
  } else if (name.size() > 2 && (name[1] == 'x' || name[1] == 'X')) {
    code = HexNumber(name.substr(2));
  } else {
    char32_t value = 0;
    for (const char c : name.substr(1)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + static_cast<char32_t>(c - '0');
      if (value > 0x10FFFF) return std::nullopt;
    }
    if (name.size() > 1) code = value;
  }
  if (!code.has_value()) return std::nullopt;
  return Escape{*code, length, false};
}

std::optional<Escape> BackslashAt(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at + 1);
  if (rest.empty()) return std::nullopt;
  if (rest[0] == 'n' || rest[0] == 't' || rest[0] == 'r') return Escape{' ', 2, false};
  if (rest[0] == '"' || rest[0] == '\'' || rest[0] == '/') return Escape{static_cast<char32_t>(rest[0]), 2, false};
  if (rest.size() >= 3 && rest[0] >= '0' && rest[0] <= '1' && IsOctal(rest[1]) && IsOctal(rest[2])) {
    const int value = (rest[0] - '0') * 64 + (rest[1] - '0') * 8 + (rest[2] - '0');
    if (value > 0) return Escape{static_cast<char32_t>(value), 4, true};
  }
  if (rest.size() >= 4 && (rest[0] == 'u' || rest[0] == 'x') && rest[1] == '{') {
    const size_t end = rest.find('}');
    if (end == std::string_view::npos || end > 8) return std::nullopt;
    const std::optional<char32_t> code = HexNumber(rest.substr(2, end - 2));
    return code.has_value() ? std::optional<Escape>(Escape{*code, end + 2, false}) : std::nullopt;
  }
  const size_t digits = rest[0] == 'x' || rest[0] == 'X' ? 2 : rest[0] == 'u' ? 4 : rest[0] == 'U' ? 8 : 0;
  if (digits == 0 || rest.size() < digits + 1) return std::nullopt;
  const std::string_view number = rest.substr(digits == 8 ? 3 : 1, digits == 8 ? 6 : digits);
  const std::optional<char32_t> code = HexNumber(number);
  if (!code.has_value()) return std::nullopt;
  return Escape{*code, digits + 2, digits == 2};
}

// Quoted-printable: "=69", and "=" at the end of a line, which joins it with the next.
std::optional<Escape> QuotedAt(std::string_view text, size_t at) {
  if (text.substr(at + 1, 2) == "\r\n") return Escape{0, 3, false};
  if (text.substr(at + 1, 1) == "\n") return Escape{0, 2, false};
  if (at + 2 >= text.size()) return std::nullopt;
  const std::optional<char32_t> code = HexNumber(text.substr(at + 1, 2));
  if (!code.has_value() || *code < 0x20) return std::nullopt;
  return Escape{*code, 3, true};
}

// "U+0069", and one blank after it.
std::optional<Escape> NotationAt(std::string_view text, size_t at) {
  size_t end = at + 2;
  while (end < text.size() && end - at < 8 && HexDigit(text[end]) >= 0) ++end;
  const std::optional<char32_t> code = HexNumber(text.substr(at + 2, end - at - 2));
  if (end - at < 6 || !code.has_value()) return std::nullopt;
  return Escape{*code, end - at + (end < text.size() && text[end] == ' ' ? 1 : 0), false};
}

std::optional<Escape> EscapeAt(std::string_view text, size_t at) {
  if (text[at] == '=') return QuotedAt(text, at);
  if ((text[at] == 'U' || text[at] == 'u') && text.substr(at + 1, 1) == "+") return NotationAt(text, at);
  if (text[at] == '%' && at + 2 < text.size()) {
    const std::optional<char32_t> code = HexNumber(text.substr(at + 1, 2));
    if (!code.has_value()) return std::nullopt;
    return Escape{*code, 3, true};
  }
  if (text[at] == '&') return EntityAt(text, at);
  if (text[at] == '\\') return BackslashAt(text, at);
  return std::nullopt;
}

// The whole text with its escapes undone.
void Unescape(const TextView& in, size_t& budget, std::vector<TextView>& out) {
  const std::string_view text = in.text;
  if (text.find_first_of("%&\\=+") == std::string_view::npos || text.size() > budget) return;
  TextView reading;
  size_t escapes = 0;
  const bool plus_is_space = text.find(' ') == std::string_view::npos;
  for (size_t i = 0; i < text.size();) {
    const std::optional<Escape> escape = EscapeAt(text, i);
    if (escape.has_value()) {
      ++escapes;
      if (escape->code == 0) {
        // A line joined with the next.
      } else if (escape->is_byte) {
        reading.Append(static_cast<char>(escape->code), in.origin[i]);
      } else {
        reading.Append(EncodeUtf8(escape->code), in.origin[i]);
      }
      i += escape->length;
    } else {
      reading.Append(plus_is_space && text[i] == '+' ? ' ' : text[i], in.origin[i]);
      ++i;
    }
  }
  if (escapes > 0) Take(std::move(reading), budget, out);
}

// Characters written as decimal numbers or as groups of eight bits: "105 103 110", "01101001 01100111".
size_t NumberRun(const TextView& in, size_t start, size_t& budget, std::vector<TextView>& out) {
  const std::string_view text = in.text;
  TextView reading;
  size_t i = start;
  while (i < text.size()) {
    size_t end = i;
    int decimal = 0;
    int binary = 0;
    bool bits = true;
    while (end < text.size() && end - i < 9 && text[end] >= '0' && text[end] <= '9') {
      decimal = decimal * 10 + (text[end] - '0');
      binary = binary * 2 + (text[end] - '0');
      bits &= text[end] <= '1';
      ++end;
    }
    const int code = bits && end - i == 8 ? binary : decimal;
    if (end == i || end - i > 8 || (code < 0x20 && code != '\n' && code != '\t') || code > 0x7E) break;
    reading.Append(static_cast<char>(code), in.origin[i]);
    i = end;
    for (size_t skipped = 0; skipped < kMaxBetween && i < text.size(); ++skipped, ++i) {
      if (kBetweenNumbers.find(text[i]) == std::string_view::npos) break;
    }
  }
  if (reading.text.size() >= kMinCodes) Take(std::move(reading), budget, out);
  return std::max(i, start + 1);
}

bool IsHexStart(std::string_view text, size_t i) {
  return i + 1 < text.size() && HexDigit(text[i]) >= 0 && HexDigit(text[i + 1]) >= 0;
}

// Runs of one encoding, a line each.
TextView Join(std::vector<TextView> runs) {
  TextView joined = std::move(runs.front());
  for (size_t i = 1; i < runs.size(); ++i) {
    joined.Append('\n', runs[i].origin.front());
    joined.text += runs[i].text;
    joined.origin.insert(joined.origin.end(), runs[i].origin.begin(), runs[i].origin.end());
  }
  return joined;
}

}  // namespace

void DecodeOnce(const TextView& in, size_t& budget, std::vector<TextView>& out) {
  // As long as the text itself, it must leave room for what is hidden in it.
  size_t whole = in.text.size();
  Unescape(in, whole, out);
  const std::string_view text = in.text;
  std::vector<TextView> base64;
  std::vector<TextView> hex;
  std::vector<TextView> numbers;
  size_t base64_until = 0;
  size_t hex_until = 0;
  size_t numbers_until = 0;
  bool in_word = false;
  for (size_t i = 0; i < text.size() && budget > 0; ++i) {
    const bool word = Base64Digit(text[i]) >= 0;
    if (word && !in_word) {
      if (i >= base64_until) base64_until = Base64Run(in, i, budget, base64);
      const bool prefixed = text[i] == '0' && i + 3 < text.size() && (text[i + 1] == 'x' || text[i + 1] == 'X');
      if (i >= hex_until && (prefixed || IsHexStart(text, i))) {
        hex_until = HexRun(in, prefixed ? i + 2 : i, budget, hex);
      }
      if (i >= numbers_until && text[i] >= '0' && text[i] <= '9') numbers_until = NumberRun(in, i, budget, numbers);
    }
    in_word = word;
  }
  for (std::vector<TextView>* runs : {&base64, &hex, &numbers}) {
    if (!runs->empty()) out.push_back(Join(std::move(*runs)));
  }
}

}  // namespace toolgate::security::injection_defence
