#include "security/injection_defence/decode/decoded_text.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <utility>

#include "security/injection_defence/text/utf8.h"

namespace toolgate::security::injection_defence::decode {
namespace {

// Bytes next to an encoded text may have been decoded with it.
constexpr size_t kMinStretch = 24;
// Rulers and tables that are read as a code give the same few letters again and again.
constexpr size_t kFewestDifferent = 6;

bool IsLetterOrBlank(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' '; }

// The longest stretch without a byte that text cannot contain; empty if it is short.
text::TextView LongestStretch(const text::TextView& reading) {
  size_t best = 0;
  size_t best_end = 0;
  size_t start = 0;
  for (size_t i = 0; i <= reading.text.size(); ++i) {
    if (i < reading.text.size() && IsPlainByte(reading.text[i])) continue;
    if (i - start > best) {
      best = i - start;
      best_end = i;
    }
    start = i + 1;
  }
  text::TextView stretch;
  if (best < kMinStretch) return stretch;
  stretch.text = reading.text.substr(best_end - best, best);
  stretch.origin.assign(reading.origin.begin() + static_cast<ptrdiff_t>(best_end - best),
                        reading.origin.begin() + static_cast<ptrdiff_t>(best_end));
  return stretch;
}

void Spend(text::TextView reading, size_t& budget, std::vector<text::TextView>& out) {
  if (reading.text.size() > budget) return;
  budget -= reading.text.size();
  out.push_back(std::move(reading));
}

}  // namespace

bool LooksLikeText(std::string_view bytes) {
  if (bytes.size() < 6) return false;
  size_t good = 0;
  size_t bad = 0;
  bool ascii = true;
  for (size_t i = 0; i < bytes.size();) {
    const text::Decoded decoded = text::DecodeUtf8(bytes, i);
    const char32_t c = decoded.code;
    ascii &= c < 0x80;
    if (!decoded.ok || (c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7F) {
      // A run that was cut may end in the middle of a character.
      if (i + 4 < bytes.size()) ++bad;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || c >= 0x80) {
      good += decoded.length;
    }
    i += decoded.length;
  }
  return bad * 50 <= bytes.size() && ((ascii && bad == 0) || good * 10 >= bytes.size() * 6);
}

bool IsPlainText(std::string_view bytes, size_t least) {
  if (bytes.size() < least || !std::all_of(bytes.begin(), bytes.end(), IsPlainByte)) return false;
  const auto good = static_cast<size_t>(std::count_if(bytes.begin(), bytes.end(), IsLetterOrBlank));
  std::bitset<128> seen;
  for (const char c : bytes) seen.set(static_cast<uint8_t>(c));
  return good * 10 >= bytes.size() * 7 && seen.count() >= kFewestDifferent;
}

bool TakeText(text::TextView reading, size_t& budget, std::vector<text::TextView>& out) {
  if (!LooksLikeText(reading.text)) {
    reading = LongestStretch(reading);
    if (!LooksLikeText(reading.text)) return false;
  }
  Spend(std::move(reading), budget, out);
  return true;
}

bool TakePlainText(text::TextView reading, size_t least, size_t& budget, std::vector<text::TextView>& out) {
  if (!IsPlainText(reading.text, least)) return false;
  Spend(std::move(reading), budget, out);
  return true;
}

}  // namespace toolgate::security::injection_defence::decode
