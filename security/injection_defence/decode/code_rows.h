// Texts written as rows of codes, one for each character: numbers, bits, Morse.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_CODE_ROWS_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_CODE_ROWS_H_

#include <cstddef>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::decode {

// Each appends to `out` the decoded text of the rows of its kind in `in`, if it looks like text. `budget` limits the
// bytes of all of them together, and is reduced by the number used. Linear.

// "105 103 110".
void FindDecimalRows(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);
// "151 147 156", "0151", "0o151".
void FindOctalRows(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);
// Eight or seven bits per character, with or without blanks between them.
void FindBits(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);
// ".. --. -. --- .-. .", with a blank between letters and other characters between words.
void FindMorse(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

}  // namespace toolgate::security::injection_defence::decode

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_CODE_ROWS_H_
