#include "observability/trace_context.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

namespace toolgate::observability {
namespace {

constexpr size_t kTraceParentLength = 55;
constexpr size_t kMaxTraceStateMembers = 32;
constexpr size_t kMaxTraceStateLength = 512;

// The two digits of each byte.
constexpr auto kHexOfByte = [] {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::array<char, 2>, 256> all = {};
  for (size_t byte = 0; byte < all.size(); ++byte) all[byte] = {kDigits[byte >> 4], kDigits[byte & 15]};
  return all;
}();

// An even number of `digits`.
void AppendHex(uint64_t value, int digits, std::string& out) {
  const size_t start = out.size();
  out.resize(start + static_cast<size_t>(digits));
  for (char* at = out.data() + out.size(); at != out.data() + start; value >>= 8) {
    at -= 2;
    std::memcpy(at, kHexOfByte[value & 255].data(), 2);
  }
}

// Accepts only lower-case digits, as the standard requires.
std::optional<uint64_t> ParseHex(std::string_view text) {
  uint64_t value = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      value = value << 4 | static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value << 4 | static_cast<uint64_t>(c - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsKeyPart(std::string_view part, size_t max_length, bool may_start_with_digit) {
  if (part.empty() || part.size() > max_length) return false;
  if (!IsLower(part[0]) && !(may_start_with_digit && IsDigit(part[0]))) return false;
  return std::all_of(part.begin(), part.end(),
                     [](char c) { return IsLower(c) || IsDigit(c) || c == '_' || c == '-' || c == '*' || c == '/'; });
}

bool IsKey(std::string_view key) {
  const size_t at = key.find('@');
  if (at == std::string_view::npos) return IsKeyPart(key, 256, false);
  return IsKeyPart(key.substr(0, at), 241, true) && IsKeyPart(key.substr(at + 1), 14, false);
}

bool IsValue(std::string_view value) {
  if (value.empty() || value.size() > 256 || value.back() == ' ') return false;
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c <= 0x7e && c != ',' && c != '='; });
}

std::string_view TrimBlanks(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::string TraceContext::TraceIdHex() const {
  std::string text;
  text.reserve(32);
  AppendHex(trace_id_high, 16, text);
  AppendHex(trace_id_low, 16, text);
  return text;
}

std::string TraceContext::SpanIdHex() const {
  std::string text;
  AppendHex(span_id, 16, text);
  return text;
}

std::string TraceContext::ToTraceParent() const {
  std::string text = "00-";
  text.reserve(kTraceParentLength);
  AppendHex(trace_id_high, 16, text);
  AppendHex(trace_id_low, 16, text);
  text += '-';
  AppendHex(span_id, 16, text);
  text += '-';
  AppendHex(flags, 2, text);
  return text;
}

std::optional<TraceContext> ParseTraceParent(std::string_view header) {
  header = TrimBlanks(header);
  if (header.size() < kTraceParentLength) return std::nullopt;
  if (header[2] != '-' || header[35] != '-' || header[52] != '-') return std::nullopt;
  const auto version = ParseHex(header.substr(0, 2));
  const auto high = ParseHex(header.substr(3, 16));
  const auto low = ParseHex(header.substr(19, 16));
  const auto span = ParseHex(header.substr(36, 16));
  const auto flags = ParseHex(header.substr(53, 2));
  if (!version || !high || !low || !span || !flags || *version == 0xff) return std::nullopt;
  if (*version == 0 && header.size() != kTraceParentLength) return std::nullopt;
  if (header.size() > kTraceParentLength && header[kTraceParentLength] != '-') return std::nullopt;
  TraceContext context{*high, *low, *span, static_cast<uint8_t>(*flags & 1), {}};
  if (!context.valid()) return std::nullopt;
  return context;
}

std::string ParseTraceState(std::string_view header) {
  std::string joined;
  std::vector<std::string_view> keys;
  while (!header.empty()) {
    const size_t comma = header.find(',');
    const std::string_view member = TrimBlanks(header.substr(0, comma));
    header.remove_prefix(comma == std::string_view::npos ? header.size() : comma + 1);
    if (member.empty()) continue;
    const size_t equals = member.find('=');
    if (equals == std::string_view::npos) return "";
    const std::string_view key = member.substr(0, equals);
    if (!IsKey(key) || !IsValue(member.substr(equals + 1))) return "";
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return "";
    keys.push_back(key);
    if (!joined.empty()) joined += ',';
    joined += member;
    if (keys.size() > kMaxTraceStateMembers || joined.size() > kMaxTraceStateLength) return "";
  }
  return joined;
}

}  // namespace toolgate::observability
