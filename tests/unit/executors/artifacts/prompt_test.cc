#include "executors/artifacts/prompt.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::artifacts {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ArtifactPolicy PromptPolicy() {
  ArtifactPolicy policy;
  policy.max_code_bytes = 5000;
  policy.max_output_tokens = 700;
  policy.reasoning = true;
  policy.react.modules = {"react", "recharts"};
  policy.html.hosts = {"cdn.example"};
  return policy;
}

TEST(BuildPromptTest, PutsThePromptBetweenBoundaries) {
  const models::ModelRequest request =
      BuildPrompt({ArtifactType::kSvg, "A moon", "Night", ""}, PromptPolicy(), "=== 42 ===");
  ASSERT_EQ(request.messages.size(), 1u);
  EXPECT_EQ(request.messages[0].text, "=== 42 ===\nA moon\n\nTitle: Night\n=== 42 ===");
  EXPECT_THAT(request.system, HasSubstr("=== 42 ==="));
  EXPECT_THAT(request.system, Not(HasSubstr("A moon")));
  EXPECT_EQ(request.max_output_tokens, 700);
  EXPECT_TRUE(request.reasoning);
}

TEST(BuildPromptTest, SaysWhatTheTypeNeeds) {
  const auto system = [](ArtifactType type) { return BuildPrompt({type, "x", "", "go"}, PromptPolicy(), "=").system; };
  EXPECT_THAT(system(ArtifactType::kReact), HasSubstr("react, recharts"));
  EXPECT_THAT(system(ArtifactType::kHtml), HasSubstr("cdn.example"));
  EXPECT_THAT(system(ArtifactType::kSvg), HasSubstr("xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(system(ArtifactType::kMermaid), HasSubstr("Mermaid"));
  EXPECT_THAT(system(ArtifactType::kMarkdown), HasSubstr("Markdown"));
  EXPECT_THAT(system(ArtifactType::kCode), HasSubstr("in go"));
  EXPECT_THAT(system(ArtifactType::kCode), HasSubstr("5000 bytes"));
}

TEST(BuildFixPromptTest, ShowsTheSourceAndItsErrors) {
  const models::ModelRequest first = BuildPrompt({ArtifactType::kSvg, "A moon", "", ""}, PromptPolicy(), "=");
  const models::ModelRequest fix = BuildFixPrompt(
      first, "<svg>",
      {{1, 2, "a", "is bad", checks::Severity::kError}, {3, 4, "b", "is no matter", checks::Severity::kWarning}});
  ASSERT_EQ(fix.messages.size(), 3u);
  EXPECT_EQ(fix.messages[1].role, models::Role::kAssistant);
  EXPECT_EQ(fix.messages[1].text, "<svg>");
  EXPECT_THAT(fix.messages[2].text, HasSubstr("line 1, column 2: is bad"));
  EXPECT_THAT(fix.messages[2].text, Not(HasSubstr("is no matter")));
  EXPECT_FALSE(fix.reasoning);
}

TEST(BuildFixPromptTest, AsksOnceMoreWhenThereWasNoSource) {
  const models::ModelRequest first = BuildPrompt({ArtifactType::kSvg, "A moon", "", ""}, PromptPolicy(), "=");
  const models::ModelRequest fix =
      BuildFixPrompt(first, "", {{1, 1, "empty", "there is no source", checks::Severity::kUnsafe}});
  ASSERT_EQ(fix.messages.size(), 1u);
  EXPECT_THAT(fix.messages[0].text, HasSubstr("there is no source"));
}

}  // namespace
}  // namespace toolgate::executors::artifacts
