// The detector that tests use.
#ifndef TOOLGATE_TESTS_SUPPORT_DETECTOR_OPTIONS_H_
#define TOOLGATE_TESTS_SUPPORT_DETECTOR_OPTIONS_H_

#include "security/injection_defence/detector.h"

namespace toolgate::testing {

// The threshold is the one at which the models of wording were made (models/manifest.json).
inline security::injection_defence::DetectorOptions UsualDetectorOptions() {
  return {.threshold = 0.75, .max_decoded_bytes = 65'536, .max_decode_depth = 3};
}

// A detector with these options, made once in a program.
inline const security::injection_defence::Detector& TheDetector() {
  static const auto* const detector =
      security::injection_defence::Detector::Create(UsualDetectorOptions()).value().release();
  return *detector;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_DETECTOR_OPTIONS_H_
