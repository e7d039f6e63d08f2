// The readings that layer 1 makes of a text: decoders, segmenter and the undoing of letter tricks. Each must know the
// origin of every byte, and stay within its budget.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "security/injection_defence/decode/code_rows.h"
#include "security/injection_defence/decode/decoder.h"
#include "security/injection_defence/decode/digit_runs.h"
#include "security/injection_defence/decode/markup.h"
#include "security/injection_defence/detector.h"
#include "security/injection_defence/text/disguise_spans.h"
#include "security/injection_defence/text/normaliser.h"
#include "security/injection_defence/text/segmenter.h"
#include "security/injection_defence/text/shape.h"
#include "tests/fuzz/text_view_check.h"
#include "tests/support/detector_options.h"

namespace decode = toolgate::security::injection_defence::decode;
using toolgate::security::injection_defence::Detector;
using toolgate::security::injection_defence::decode::JoinTornWords;
using toolgate::security::injection_defence::text::DisguiseSpans;
using toolgate::security::injection_defence::text::Normaliser;
using toolgate::security::injection_defence::text::ReadWords;
using toolgate::security::injection_defence::text::Segmenter;
using toolgate::security::injection_defence::text::ShapeOf;
using toolgate::security::injection_defence::text::TextView;
using toolgate::security::injection_defence::text::Word;
using toolgate::testing::CheckView;
using toolgate::testing::Require;

namespace {

const Segmenter& TheSegmenter() {
  static const auto* const segmenter =
      new Segmenter(Detector::Create(toolgate::testing::UsualDetectorOptions()).value()->rules().Vocabulary());
  return *segmenter;
}

// The segmenter may add only blanks.
void CheckSegmenter(const TextView& in) {
  TextView out;
  if (!TheSegmenter().Split(in, out)) return;
  CheckView(out, in.text.size());
  size_t i = 0;
  for (const char c : out.text) {
    if (i < in.text.size() && c == in.text[i]) {
      ++i;
    } else {
      Require(c == ' ');
    }
  }
  Require(i == in.text.size());
}

void CheckReadings(std::string_view raw, const TextView& in) {
  TextView out;
  const size_t size = raw.size();
  for (const char one : {'i', 'l'}) {
    Normaliser::Unleet(in, one, out);
    CheckView(out, size);
  }
  Normaliser::Unspace(in, out);
  CheckView(out, size);
  Normaliser::Reverse(in, out);
  CheckView(out, size);
  Normaliser::ReverseWords(in, out);
  CheckView(out, size);
  DisguiseSpans::Cut(in, 0.3).CloseUp(in, out);
  CheckView(out, size);
  Normaliser::Unjoin(in, out);
  CheckView(out, size);
  Normaliser::Rot13(in, out);
  CheckView(out, size);
  if (Normaliser::Skeleton(in, out)) CheckView(out, size);
  if (Normaliser::Unturn(raw, in, out)) CheckView(out, size);
  if (Normaliser::Rejoin(raw, out)) CheckView(out, size);
  if (JoinTornWords(raw, out)) CheckView(out, size);
  if (Normaliser::Strip(raw, out)) CheckView(out, size);
  for (const bool apply : {false, true}) {
    Normaliser::Undelete(raw, apply, out);
    CheckView(out, size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view raw(reinterpret_cast<const char*>(data), size);
  TextView whole;
  for (uint32_t i = 0; i < size; ++i) whole.Append(raw[i], i);
  std::vector<Word> words;
  ReadWords(raw, words);
  (void)ShapeOf(raw, words);

  constexpr size_t kBudget = 4096;
  size_t budget = kBudget;
  std::vector<TextView> decoded;
  decode::DecodeEscapes(whole, budget, decoded);
  decode::DecodeBase64AndHex(whole, budget, decoded);
  for (const decode::FindRuns find :
       {decode::FindBase64Pieces, decode::FindBase32, decode::FindBase85, decode::FindDecimalRows,
        decode::FindOctalRows, decode::FindBits, decode::FindMorse}) {
    decode::DecodeRuns(find, whole, budget, decoded);
  }
  size_t bytes = 0;
  for (const TextView& reading : decoded) {
    CheckView(reading, size);
    bytes += reading.text.size();
  }
  // The spent budget is accounted for; in addition there are the whole text, which may not have grown, and one line end
  // per run.
  const size_t spent = kBudget - budget;
  Require(budget <= kBudget && bytes >= spent && bytes <= 2 * spent + size);

  CheckSegmenter(whole);
  TextView folded;
  Normaliser::FoldBlanks(raw, folded);
  CheckView(folded, size);
  CheckReadings(raw, folded);
  return 0;
}
