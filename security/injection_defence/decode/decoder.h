// Undoes encodings that can carry a hidden instruction.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODER_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::decode {

// Each of these takes one step of decoding and appends to `out` what comes of it and looks like text. `budget` bounds
// the bytes of all encoded readings together, and is reduced by what was used. Linear.

// The whole text with its URL, HTML, backslash, quoted-printable and "U+" escapes undone, where it has any. It grows no
// longer by that, so it leaves `budget` alone.
void DecodeEscapes(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

// Runs of base64 (both alphabets) and of hex: one reading each, with a line a run.
void DecodeBase64AndHex(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

// A function of digit_runs.h or code_rows.h.
using FindRuns = void (*)(const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

// All runs that `find` finds as one reading with a line a run, so that many harmless ones cannot wear out the detector.
void DecodeRuns(FindRuns find, const text::TextView& in, size_t& budget, std::vector<text::TextView>& out);

}  // namespace toolgate::security::injection_defence::decode

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_DECODER_H_
