// Texts in the digits of a large base: base64, base32 and base85, in one run or in pieces.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DIGIT_RUNS_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DIGIT_RUNS_H_

#include <cstddef>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::decode {

// Each appends to `out` the decoded text of the runs of its kind in `in`, if it looks like text. `budget` limits the
// bytes of all of them together, and is reduced by the number used. Linear.

// One run of base64 digits of both alphabets that begins at `start`, possibly broken into lines. Returns its end.
size_t FindBase64(const text::TextView& in, size_t start, size_t& budget, std::vector<text::TextView>& out);

// Base64 in pieces of one length that are shorter than such lines: "aWdu b3Jl IGFs".
void FindBase64Pieces(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

// Base32 (RFC 4648) in upper or lower case, in one run or in pieces of one length.
void FindBase32(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

// Ascii85, with or without its marks, RFC 1924 and Z85.
void FindBase85(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

// The value of a base64 digit, or -1.
int Base64Digit(char c);

}  // namespace toolgate::security::injection_defence::decode

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DIGIT_RUNS_H_
