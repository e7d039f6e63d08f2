#include "services/chat/reasoning_steps.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::chat {
namespace {

using ::testing::ElementsAre;

// "title: item, item" of each step, fed in pieces of `size`.
std::vector<std::string> StepsOf(const std::string& text, size_t size = 1000) {
  ReasoningSteps steps("analysis");
  std::vector<v1::ReasoningStep> made;
  for (size_t i = 0; i < text.size(); i += size) {
    for (v1::ReasoningStep& step : steps.Feed(text.substr(i, size))) made.push_back(std::move(step));
  }
  for (v1::ReasoningStep& step : steps.Finish()) made.push_back(std::move(step));
  std::vector<std::string> shown;
  for (const v1::ReasoningStep& step : made) {
    EXPECT_EQ(step.phase(), "analysis");
    std::string& line = shown.emplace_back(step.title() + ":");
    for (const std::string& item : step.items()) line += " " + item;
  }
  return shown;
}

TEST(ReasoningStepsTest, AParagraphIsAStep) {
  EXPECT_THAT(StepsOf("Look it up\n\nAnswer\n"), ElementsAre("Look it up:", "Answer:"));
  EXPECT_THAT(StepsOf("\n\n \n\n"), ElementsAre());
}

TEST(ReasoningStepsTest, MarksAreLeftOutAndListsArePoints) {
  EXPECT_THAT(StepsOf("## **Plan**\n- first\n* second\n3. third\nprose\n"), ElementsAre("Plan: first second third"));
}

TEST(ReasoningStepsTest, PiecesMakeNoDifference) {
  const std::string text = "**Plan**\r\n- one\r\n\r\nThen \xE8\xAA\x9E\n1) two";
  for (size_t size = 1; size < text.size(); ++size) EXPECT_EQ(StepsOf(text, size), StepsOf(text)) << size;
}

TEST(ReasoningStepsTest, AStepIsSentAsSoonAsItsParagraphEnds) {
  ReasoningSteps steps("analysis");
  EXPECT_TRUE(steps.Feed("Think\n").empty());
  EXPECT_EQ(steps.Feed("\n").size(), 1u);
  EXPECT_TRUE(steps.Finish().empty());
}

TEST(ReasoningStepsTest, StepsAndTitlesHaveBounds) {
  std::string text;
  for (size_t i = 0; i < ReasoningSteps::kMaxSteps + 10; ++i) text += "step\n\n";
  EXPECT_EQ(StepsOf(text).size(), ReasoningSteps::kMaxSteps);
  EXPECT_LT(StepsOf(std::string(5000, 'x')).front().size(), 200u);
}

}  // namespace
}  // namespace toolgate::services::chat
