// Results of decoding, as far as they look like text.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODED_TEXT_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODED_TEXT_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::decode {

// Hardly a control character, well-formed but for its end, and either mostly letters and blanks, or nothing but ASCII:
// what is encoded twice has few letters.
bool LooksLikeText(std::string_view bytes);

// A byte that ASCII text has.
constexpr bool IsPlainByte(char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t' || c == '\r'; }

// For codes in which much can be read that was not written in them: at least `least` bytes, all of them plain, mostly
// letters and blanks, and not only a few different ones.
bool IsPlainText(std::string_view bytes, size_t least);

// Appends `reading` to `out`, or its longest stretch that looks like text, and takes its size off `budget`. False, and
// nothing done, when there is none; also true, with nothing done, when it is beyond the budget.
bool TakeText(text::TextView reading, size_t& budget, std::vector<text::TextView>& out);

// The same for what has to be plain text throughout.
bool TakePlainText(text::TextView reading, size_t least, size_t& budget, std::vector<text::TextView>& out);

}  // namespace toolgate::security::injection_defence::decode

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODED_TEXT_H_
