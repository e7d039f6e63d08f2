// Tests whether decoded bytes look like text.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODED_TEXT_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODED_TEXT_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::decode {

// True for text with hardly any control characters, well-formed except at its end, and either mostly letters and
// blanks, or pure ASCII: text that is encoded twice has few letters.
bool LooksLikeText(std::string_view bytes);

// True for a byte that can occur in ASCII text.
constexpr bool IsPlainByte(char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t' || c == '\r'; }

// For codes that also match much text that is not encoded: at least `least` bytes, all of them plain, mostly letters
// and blanks, and of more than a few different values.
bool IsPlainText(std::string_view bytes, size_t least);

// Appends `reading` to `out`, or its longest stretch that looks like text, and subtracts its size from `budget`. False
// if there is none; true without an effect if it exceeds the budget.
bool TakeText(text::TextView reading, size_t& budget, std::vector<text::TextView>& out);

// The same for a reading that must be plain text throughout.
bool TakePlainText(text::TextView reading, size_t least, size_t& budget, std::vector<text::TextView>& out);

}  // namespace toolgate::security::injection_defence::decode

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODED_TEXT_H_
