// Texts written as rows of codes, one for each character: numbers, bits, Morse.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_CODE_ROWS_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_CODE_ROWS_H_

#include <cstddef>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::decode {

// Each appends to `out` what the rows of its kind in `in` stand for, as far as that looks like text. `budget` bounds
// the bytes of all of them together, and is reduced by what was used. Linear.

// "105 103 110".
void FindDecimalRows(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);
// "151 147 156", "0151", "0o151".
void FindOctalRows(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);
// Eight or seven bits a character, with or without blanks somewhere between them.
void FindBits(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);
// ".. --. -. --- .-. .", letters with a blank between them and words with something else.
void FindMorse(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

}  // namespace toolgate::security::injection_defence::decode

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_CODE_ROWS_H_
