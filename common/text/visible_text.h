// Foreign text as a person must see it before deciding on it: nothing in it is hidden, left out or changed.
//
// Both forms below are lossless: different texts, and different bytes that are no text, look different, and what was
// meant can be read back. A character that a screen does not draw, or draws as something else, is written as an escape,
// `\u{202e}` by its code point or `\x{ff}` for a byte that is not UTF-8; `\u{20 x 9000}` means a run of 9,000 of
// the same. A backslash that could be taken for the beginning of an escape is doubled.
//
// Escaped are all characters of Unicode's categories Cc, Cf, Cn, Co, Cs, Zl and Zp, all of Zs but the space, those with
// the property Default_Ignorable_Code_Point (UAX #44), and the few others that are drawn as nothing. So are enclosing
// marks, marks without a letter before them, and those beyond three on one letter, which could cover other characters.
// Of blanks, those that end a line, and runs that could push what follows out of sight.
#ifndef TOOLGATE_COMMON_TEXT_VISIBLE_TEXT_H_
#define TOOLGATE_COMMON_TEXT_VISIBLE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace toolgate::text {

// Blanks, and line breaks, in a row that are still shown as they are.
inline constexpr size_t kMaxShownBlanks = 60;
inline constexpr size_t kMaxShownBreaks = 8;

// Whether a screen draws something of its own for the character (a code point). False for the space, too.
bool IsVisible(int32_t character);

// Whether all of `text` is visible characters and single-line blanks, so that it can be shown as it is.
bool IsAllVisible(std::string_view text);

// Whether a letter of a script that is written from right to left is in `text`. A screen may show what stands around it
// in another order.
bool HasRightToLeft(std::string_view text);

// `text` as lines that are separated by "\n". Tabs stay as they are.
std::string VisibleLines(std::string_view text);

// `text` in one line and in quotes: `"`, `\` and line breaks are escaped as in JSON.
std::string Quoted(std::string_view text);

// JSON text, in which what is not visible can only stand in strings, with each such character as `\u202e`: the same
// value, and nothing of it is hidden.
std::string VisibleJson(std::string_view json);

}  // namespace toolgate::text

#endif  // TOOLGATE_COMMON_TEXT_VISIBLE_TEXT_H_
