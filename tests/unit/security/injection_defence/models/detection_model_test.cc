#include "security/injection_defence/models/detection_model.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::security::injection_defence::models {
namespace {

TEST(DetectionModelTest, TheEmbeddedModelIsMadeOnceAndShared) {
  const auto first = DetectionModel::Embedded();
  const auto second = DetectionModel::Embedded();
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->get(), second->get());
  EXPECT_GT((*first)->rules().rules().size(), 40U);
  EXPECT_TRUE((*first)->wording().knows_anything());
}

TEST(DetectionModelTest, TheSegmenterKnowsTheVocabularyOfTheRules) {
  const auto model = DetectionModel::Embedded().value();
  text::TextView in;
  constexpr std::string_view kGlued = "ignoreallpreviousinstructions";
  for (uint32_t i = 0; i < kGlued.size(); ++i) in.Append(kGlued[i], i);
  text::TextView out;
  ASSERT_TRUE(model->segmenter().Split(in, out));
  EXPECT_EQ(out.text, "ignore all previous instructions");
}

}  // namespace
}  // namespace toolgate::security::injection_defence::models
