#include "security/injection_defence/decode/decoder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "common/text/hex_digit.h"
#include "security/injection_defence/decode/decoded_text.h"
#include "security/injection_defence/decode/digit_runs.h"
#include "security/injection_defence/text/utf8.h"

namespace toolgate::security::injection_defence::decode {
namespace {

constexpr size_t kMinHexPairs = 8;
// Maximum length of an HTML entity without '&' and ';'.
constexpr size_t kMaxEntity = 16;
// Characters allowed between two numbers of one run, and their maximum number.
constexpr std::string_view kBetweenHex = " ,;:\\x-\r\n\t";
constexpr size_t kMaxBetweenHex = 4;

// Pairs of hex digits, bare or each after the same short mark: "69 67", "0x69,0x67", "\x69\x67".
size_t HexRun(const text::TextView& in, size_t start, size_t& budget, std::vector<text::TextView>& out) {
  const std::string_view text = in.text;
  text::TextView reading;
  size_t i = start;
  while (i + 1 < text.size()) {
    const int high = toolgate::text::HexDigit(text[i]);
    const int low = toolgate::text::HexDigit(text[i + 1]);
    if (high < 0 || low < 0) break;
    reading.Append(static_cast<char>(high << 4 | low), in.origin[i]);
    i += 2;
    size_t skipped = 0;
    while (skipped < kMaxBetweenHex && i < text.size() && kBetweenHex.find(text[i]) != std::string_view::npos) {
      ++i;
      ++skipped;
    }
    if (i + 1 < text.size() && text[i] == '0' && (text[i + 1] == 'x' || text[i + 1] == 'X')) i += 2;
  }
  if (reading.text.size() >= kMinHexPairs) TakeText(std::move(reading), budget, out);
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
    const int digit = toolgate::text::HexDigit(c);
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<char32_t>(digit);
  }
  return value <= 0x10FFFF ? std::optional<char32_t>(value) : std::nullopt;
}

// Names of characters that are used in markup, and of invisible ones that split words.
std::optional<char32_t> NamedEntity(std::string_view name) {
  constexpr std::pair<std::string_view, char32_t> kNames[] = {
      {"amp", '&'},       {"lt", '<'},     {"gt", '>'},      {"quot", '"'},
      {"apos", '\''},     {"nbsp", ' '},   {"num", '#'},     {"lbrack", '['},
      {"rbrack", ']'},    {"colon", ':'},  {"sol", '/'},     {"excl", '!'},
      {"period", '.'},    {"vert", '|'},   {"Tab", '\t'},    {"NewLine", '\n'},
      {"lsqb", '['},      {"rsqb", ']'},   {"comma", ','},   {"equals", '='},
      {"shy", 0xAD},      {"zwj", 0x200D}, {"zwnj", 0x200C}, {"ZeroWidthSpace", 0x200B},
      {"NoBreak", 0x2060}};
  for (const auto& [known, code] : kNames) {
    if (name == known) return code;
  }
  return std::nullopt;
}

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

// The end of a numeric entity without a semicolon, which browsers accept.
size_t NumberEnd(std::string_view window) {
  const bool hex = window.size() > 1 && (window[1] == 'x' || window[1] == 'X');
  size_t end = hex ? 2 : 1;
  while (end < window.size() &&
         (hex ? toolgate::text::HexDigit(window[end]) >= 0 : window[end] >= '0' && window[end] <= '9'))
    ++end;
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

// Quoted-printable: "=69", and "=" at the end of a line, which joins it to the next.
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
  while (end < text.size() && end - at < 8 && toolgate::text::HexDigit(text[end]) >= 0) ++end;
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

bool IsHexStart(std::string_view text, size_t i) {
  return i + 1 < text.size() && toolgate::text::HexDigit(text[i]) >= 0 && toolgate::text::HexDigit(text[i + 1]) >= 0;
}

// Joins runs of one encoding into one reading, one per line.
void JoinInto(std::vector<text::TextView> runs, std::vector<text::TextView>& out) {
  if (runs.empty()) return;
  text::TextView joined = std::move(runs.front());
  for (size_t i = 1; i < runs.size(); ++i) {
    joined.Append('\n', runs[i].origin.front());
    joined.text += runs[i].text;
    joined.origin.insert(joined.origin.end(), runs[i].origin.begin(), runs[i].origin.end());
  }
  out.push_back(std::move(joined));
}

}  // namespace

void DecodeEscapes(const text::TextView& in, size_t& /*budget*/, std::vector<text::TextView>& out) {
  const std::string_view text = in.text;
  if (text.find_first_of("%&\\=+") == std::string_view::npos) return;
  text::TextView reading;
  size_t escapes = 0;
  const bool plus_is_space = text.find(' ') == std::string_view::npos;
  for (size_t i = 0; i < text.size();) {
    const std::optional<Escape> escape = EscapeAt(text, i);
    if (escape.has_value()) {
      ++escapes;
      if (escape->code == 0) {
        // A line joined to the next.
      } else if (escape->is_byte) {
        reading.Append(static_cast<char>(escape->code), in.origin[i]);
      } else {
        reading.Append(text::EncodeUtf8(escape->code), in.origin[i]);
      }
      i += escape->length;
    } else {
      reading.Append(plus_is_space && text[i] == '+' ? ' ' : text[i], in.origin[i]);
      ++i;
    }
  }
  // Uses a separate budget: the reading is as long as the text, and must leave room for texts hidden in it.
  size_t whole = text.size();
  if (escapes > 0) TakeText(std::move(reading), whole, out);
}

void DecodeBase64AndHex(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out) {
  const std::string_view text = in.text;
  std::vector<text::TextView> base64;
  std::vector<text::TextView> hex;
  size_t base64_until = 0;
  size_t hex_until = 0;
  bool in_word = false;
  for (size_t i = 0; i < text.size() && budget > 0; ++i) {
    const bool word = Base64Digit(text[i]) >= 0;
    if (word && !in_word) {
      if (i >= base64_until) base64_until = FindBase64(in, i, budget, base64);
      const bool prefixed = text[i] == '0' && i + 3 < text.size() && (text[i + 1] == 'x' || text[i + 1] == 'X');
      if (i >= hex_until && (prefixed || IsHexStart(text, i))) {
        hex_until = HexRun(in, prefixed ? i + 2 : i, budget, hex);
      }
    }
    in_word = word;
  }
  JoinInto(std::move(base64), out);
  JoinInto(std::move(hex), out);
}

void DecodeRuns(FindRuns find, const text::TextView& in, size_t& budget, std::vector<text::TextView>& out) {
  std::vector<text::TextView> runs;
  find(in, budget, runs);
  JoinInto(std::move(runs), out);
}

}  // namespace toolgate::security::injection_defence::decode
