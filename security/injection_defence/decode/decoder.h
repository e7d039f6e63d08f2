// Undoes encodings that can carry a hidden instruction.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODER_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::decode {

// Appends to `out` every reading of `in` that one step of decoding gives and that looks like text: all runs of base64
// (both alphabets), base32, base85 and hex, in pieces or not, and all rows of numbers, bits and Morse, each kind as one
// reading with a line a run, so that many harmless ones cannot wear out whoever reads them; and the whole text with its
// URL, HTML and backslash escapes undone, where it has any. `budget` bounds the bytes that the encoded readings
// together may have, and is reduced by what was used; the whole text, which grows no longer by that, does not count.
// Linear.
void DecodeOnce(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

}  // namespace toolgate::security::injection_defence::decode

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODER_H_
