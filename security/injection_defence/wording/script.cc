#include "security/injection_defence/wording/script.h"

#include "security/injection_defence/text/utf8.h"

namespace toolgate::security::injection_defence::wording {
namespace {

struct Range {
  char32_t first;
  char32_t last;
  Script script;
};

// Ordered. Letters beyond ASCII; what lies between the ranges is no letter that tells a script.
constexpr Range kRanges[] = {
    {0xC0, 0x24F, Script::kLatin},     {0x370, 0x3FF, Script::kGreek},    {0x400, 0x52F, Script::kCyrillic},
    {0x590, 0x5FF, Script::kHebrew},   {0x600, 0x77F, Script::kArabic},   {0x900, 0xDFF, Script::kIndic},
    {0xE00, 0xE7F, Script::kThai},     {0xE80, 0x10FF, Script::kOther},   {0x1100, 0x11FF, Script::kHangul},
    {0x1200, 0x1CFF, Script::kOther},  {0x1E00, 0x1E9F, Script::kLatin},  {0x1EA0, 0x1EF9, Script::kVietnamese},
    {0x1F00, 0x1FFF, Script::kGreek},  {0x3040, 0x30FF, Script::kKana},   {0x3130, 0x318F, Script::kHangul},
    {0x3400, 0x9FFF, Script::kHan},    {0xAC00, 0xD7AF, Script::kHangul}, {0xF900, 0xFAFF, Script::kHan},
    {0xFB50, 0xFDFF, Script::kArabic}, {0xFE70, 0xFEFF, Script::kArabic}, {0x20000, 0x3FFFF, Script::kHan},
};

// Letters with a horn or a breve that hardly any other language writes.
constexpr bool IsVietnamese(char32_t code) { return code == 0x103 || code == 0x111 || code == 0x1A1 || code == 0x1B0; }

const Range* RangeOf(char32_t code) {
  for (const Range& range : kRanges) {
    if (code < range.first) return nullptr;
    if (code <= range.last) return &range;
  }
  return nullptr;
}

}  // namespace

std::array<bool, kScripts> ScriptsOf(std::string_view text) {
  std::array<size_t, kScripts> counts{};
  const auto count_of = [&](Script script) -> size_t& { return counts[static_cast<size_t>(script)]; };
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<uint8_t>(text[at]);
    if (byte < 0x80) {
      count_of(Script::kLatin) += ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ? 1 : 0;
      ++at;
      continue;
    }
    const text::Decoded decoded = text::DecodeUtf8(text, at);
    at += decoded.length;
    if (const Range* const range = RangeOf(decoded.code); range != nullptr) {
      ++count_of(IsVietnamese(decoded.code) ? Script::kVietnamese : range->script);
    }
  }
  // One letter in twelve tells a language whose other letters are shared.
  constexpr size_t kTelling = 12;
  if (count_of(Script::kVietnamese) * kTelling >= count_of(Script::kLatin)) {
    count_of(Script::kVietnamese) += count_of(Script::kLatin);
    if (count_of(Script::kVietnamese) > 0) count_of(Script::kLatin) = 0;
  }
  if (count_of(Script::kKana) * kTelling >= count_of(Script::kHan)) {
    count_of(Script::kKana) += count_of(Script::kHan);
    if (count_of(Script::kKana) > 0) count_of(Script::kHan) = 0;
  }
  size_t letters = 0;
  for (const size_t count : counts) letters += count;
  std::array<bool, kScripts> scripts{};
  for (size_t i = 0; i < kScripts; ++i) scripts[i] = counts[i] * 5 >= letters && counts[i] > 0;
  if (letters == 0) scripts[static_cast<size_t>(Script::kLatin)] = true;
  return scripts;
}

}  // namespace toolgate::security::injection_defence::wording
