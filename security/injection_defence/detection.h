// Verdict on a text, with its findings and their combined score.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DETECTION_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DETECTION_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace toolgate::security::injection_defence {

// A match of a rule at a byte of the original text.
struct DetectedRule {
  std::string_view rule_id;  // Lives as long as the detector.
  std::string_view family;
  double weight = 0;
  int64_t offset = 0;
  bool excused = false;           // It weighs less than its rule says: see rules::Excuse.
  bool doubted = false;           // It weighs less because its wording is unlikely to be an attack's.
  std::string_view reading = {};  // The row of readings.h that found it first; in a decoded text, the row of that text.
};

struct Detection {
  bool flagged = false;                // `score` reaches the threshold.
  double score = 0;                    // 0 to 1.
  std::vector<DetectedRule> findings;  // Ordered by offset, each rule at most once per offset.
  // Reasons for which the text was not read in every way, each once, at the first window that it applies to. The score
  // does not count them: it says what was read.
  std::vector<DetectedRule> unreadable;
};

// Orders the findings and sets `score` and `flagged`. The score is the highest noisy-or of the findings in any
// sentence, paragraph or whole text, so that harmless text around an attack does not dilute it. Linear in the findings,
// apart from ordering them.
void Score(Detection& detection, double threshold);

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DETECTION_H_
