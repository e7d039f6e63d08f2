// All processing of one argument's bytes in layer 1.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "security/injection_defence/detector.h"
#include "security/injection_defence/sanitiser.h"
#include "security/injection_defence/text/normaliser.h"
#include "security/injection_defence/untrusted_output.h"
#include "tests/fuzz/text_view_check.h"
#include "tests/support/detector_options.h"

using toolgate::security::injection_defence::DetectedRule;
using toolgate::security::injection_defence::Detection;
using toolgate::security::injection_defence::Detector;
using toolgate::security::injection_defence::Neutralise;
using toolgate::security::injection_defence::Sanitise;
using toolgate::security::injection_defence::SanitiseMode;
using toolgate::security::injection_defence::text::HiddenText;
using toolgate::security::injection_defence::text::Normaliser;
using toolgate::security::injection_defence::text::TextView;
using toolgate::testing::CheckView;
using toolgate::testing::Require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Detector* const detector = Detector::Create(toolgate::testing::UsualDetectorOptions()).value().release();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TextView folded;
  TextView tags;
  TextView selectors;
  TextView skeleton;
  HiddenText hidden;
  Normaliser::FoldUnicode(text, folded, hidden, tags, selectors);
  CheckView(folded, size);
  CheckView(tags, size);
  CheckView(selectors, size);
  if (Normaliser::Skeleton(folded, skeleton)) CheckView(skeleton, size);
  const Detection detection = detector->Detect(text);
  Require(detection.score >= 0 && detection.score <= 1);
  for (const DetectedRule& finding : detection.findings) {
    Require(finding.offset >= 0 && static_cast<size_t>(finding.offset) < size);
  }
  for (const SanitiseMode mode : {SanitiseMode::kLine, SanitiseMode::kText, SanitiseMode::kVerbatim}) {
    const auto once = Sanitise(text, mode);
    // Clean text stays unchanged.
    if (once.changed.has_value() && !once.violation.has_value()) Require(!Sanitise(*once.changed, mode).changed);
  }
  (void)Neutralise(text);
  return 0;
}
