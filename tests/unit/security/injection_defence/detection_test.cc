#include "security/injection_defence/detection.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "security/injection_defence/finding_families.h"

namespace toolgate::security::injection_defence {
namespace {

constexpr double kThreshold = 0.75;

DetectedRule Wording(double weight, int64_t offset = 0) {
  return {"wording.instruction", kWordingFamily, weight, offset};
}
DetectedRule Signal(std::string_view id, double weight, int64_t offset = 0) {
  return {id, kSignalFamily, weight, offset};
}
DetectedRule Rule(double weight, int64_t offset = 0) {
  return {"override.any", "instruction_override", weight, offset};
}

double ScoreOf(std::vector<DetectedRule> findings) {
  Detection detection;
  detection.findings = std::move(findings);
  Score(detection, kThreshold);
  EXPECT_EQ(detection.flagged, detection.score >= kThreshold);
  return detection.score;
}

// In any place and with any weight.
TEST(DetectionTest, WordingAloneNeverDecides) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> weight(0, 1);
  std::uniform_int_distribution<int64_t> offset(0, 5000);
  for (int round = 0; round < 2000; ++round) {
    std::vector<DetectedRule> findings;
    for (int i = 0; i < 1 + round % 40; ++i) findings.push_back(Wording(weight(random), offset(random)));
    EXPECT_EQ(ScoreOf(findings), 0);
  }
}

TEST(DetectionTest, SignalsAloneNeverDecide) {
  EXPECT_EQ(ScoreOf({Signal("signal.a", 0.9), Signal("signal.b", 0.9), Signal("signal.c", 0.9)}), 0);
}

TEST(DetectionTest, WordingStrengthensARuleAndNeverWeakensIt) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> weight(0, 1);
  for (int round = 0; round < 2000; ++round) {
    const double rule = weight(random);
    const double wording = weight(random);
    const double both = ScoreOf({Rule(rule), Wording(wording)});
    EXPECT_GE(both, ScoreOf({Rule(rule)}));
    EXPECT_LE(both, 1 - (1 - rule) * (1 - wording) + 1e-9);
  }
}

TEST(DetectionTest, WeakEvidenceIsStrengthenedLess) {
  // The wording counts in full from 0.3 on.
  EXPECT_NEAR(ScoreOf({Rule(0.4), Wording(0.9)}), 0.94, 1e-9);
  EXPECT_NEAR(ScoreOf({Rule(0.1), Wording(0.9)}), 1 - 0.9 * (1 - 0.9 * 0.1 / 0.3), 1e-9);
  EXPECT_NEAR(ScoreOf({Signal("signal.a", 0.3), Wording(0.9)}), 0.9 * 0.3 / 0.3, 1e-9);
  EXPECT_NEAR(ScoreOf({Signal("signal.a", 0.3), Signal("signal.b", 0.3), Wording(0.9)}), 0.9, 1e-9);
}

TEST(DetectionTest, WordingElsewhereSaysNothingOfARule) {
  EXPECT_NEAR(ScoreOf({Rule(0.4), Wording(0.9, 1000)}), 0.4, 1e-9);
  EXPECT_NEAR(ScoreOf({Rule(0.4), Wording(0.9, 300)}), 0.94, 1e-9);
}

}  // namespace
}  // namespace toolgate::security::injection_defence
