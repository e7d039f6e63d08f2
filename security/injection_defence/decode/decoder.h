// Undoes encodings that can carry a hidden instruction.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODER_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::decode {

// Each of these takes one decoding step and appends to `out` the results that look like text. `budget` limits the bytes
// of all encoded readings together, and is reduced by the number used. Linear.

// Undoes URL, HTML, backslash, quoted-printable and "U+" escapes in the whole text, if there are any. The text does not
// become longer, so `budget` is not used.
void DecodeEscapes(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

// Runs of base64 (both alphabets) and of hex: one reading for each, with one run per line.
void DecodeBase64AndHex(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

// A function of digit_runs.h or code_rows.h.
using FindRuns = void (*)(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

// Appends all runs that `find` finds as one reading, one run per line, so that many harmless ones cannot exhaust the
// detector.
void DecodeRuns(FindRuns find, const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

}  // namespace toolgate::security::injection_defence::decode

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODER_H_
