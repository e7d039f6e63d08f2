#include "executors/artifacts/draft.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/support/artifact_rules.h"

namespace toolgate::executors::artifacts {
namespace {

models::ModelAnswer Saying(std::string text, models::StopReason stop = models::StopReason::kEnd) {
  models::ModelAnswer answer;
  answer.message.text = std::move(text);
  answer.stop = stop;
  return answer;
}

ArtifactPolicy Policy() {
  ArtifactPolicy policy;
  policy.max_code_bytes = 1000;
  return policy;
}

Draft DraftOf(ArtifactType type, std::string answer, models::StopReason stop = models::StopReason::kEnd) {
  return MakeDraft(Saying(std::move(answer), stop), {type, "x", "", ""}, Policy());
}

TEST(DraftTest, FixesLocallyWhatCanBe) {
  const Draft draft = DraftOf(ArtifactType::kSvg, "```svg\n<svg><g/></svg>\n```");
  EXPECT_EQ(draft.code, "<svg xmlns=\"http://www.w3.org/2000/svg\"><g/></svg>\n");
  EXPECT_TRUE(draft.problems.empty());
}

TEST(DraftTest, LeavesAGoodSourceAsItIs) {
  const Draft draft = DraftOf(ArtifactType::kCode, "```python\nprint(1)\n```");
  EXPECT_EQ(draft.code, "print(1)\n");
  EXPECT_EQ(draft.language, "python");
  EXPECT_EQ(testing::RulesIn(draft.problems), std::set<std::string>{"unchecked not-checked"});
}

TEST(DraftTest, SaysThatAnAnswerBrokeOff) {
  const Draft draft = DraftOf(ArtifactType::kCode, "int x = (1", models::StopReason::kLength);
  EXPECT_EQ(testing::RulesIn(draft.problems), (std::set<std::string>{"error broke-off", "unchecked not-checked"}));
}

TEST(DraftTest, ReadsNoSourceThatIsTooLong) {
  const Draft draft = DraftOf(ArtifactType::kHtml, "<p>" + std::string(2000, 'x'));
  EXPECT_EQ(testing::RulesIn(draft.problems), std::set<std::string>{"unsafe too-long"});
}

TEST(DraftTest, IsBetterWithFewerUnsafeProblemsThenErrors) {
  const auto with = [](int unsafe, int errors, int warnings) {
    Draft draft;
    draft.problems.insert(draft.problems.end(), static_cast<size_t>(unsafe), {1, 1, "", "", checks::Severity::kUnsafe});
    draft.problems.insert(draft.problems.end(), static_cast<size_t>(errors), {1, 1, "", "", checks::Severity::kError});
    draft.problems.insert(draft.problems.end(), static_cast<size_t>(warnings),
                          {1, 1, "", "", checks::Severity::kWarning});
    return draft;
  };
  EXPECT_TRUE(IsBetter(with(0, 5, 0), with(1, 0, 0)));
  EXPECT_TRUE(IsBetter(with(0, 1, 9), with(0, 2, 0)));
  EXPECT_FALSE(IsBetter(with(0, 1, 0), with(0, 1, 9)));
}

}  // namespace
}  // namespace toolgate::executors::artifacts
