#include "executors/artifacts/title.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::executors::artifacts {
namespace {

struct TitleCase {
  const char* name;
  ArtifactType type;
  std::string code;
  std::string title;
};

class TitleTest : public ::testing::TestWithParam<TitleCase> {};

TEST_P(TitleTest, IsTheArtifactsOwn) {
  EXPECT_EQ(TitleOf({GetParam().type, "First line\nsecond", "", ""}, GetParam().code), GetParam().title);
}

INSTANTIATE_TEST_SUITE_P(
    Types, TitleTest,
    ::testing::Values(TitleCase{"Page", ArtifactType::kHtml, "<html><title>\n A &amp;  B </title>", "A & B"},
                      TitleCase{"Image", ArtifactType::kSvg, "<svg><title id=\"t\">Moon</title></svg>", "Moon"},
                      TitleCase{"Document", ArtifactType::kMarkdown, "text\n# Head\n", "Head"},
                      TitleCase{"Diagram", ArtifactType::kMermaid, "pie\n  title Pets\n", "Pets"},
                      TitleCase{"DiagramWithFrontMatter", ArtifactType::kMermaid, "---\ntitle: Steps\n---\ngraph TD\n",
                                "Steps"},
                      TitleCase{"Component", ArtifactType::kReact, "export default function Todo() {}", "Todo"},
                      TitleCase{"Code", ArtifactType::kCode, "# Head\n", "First line"},
                      TitleCase{"PageWithout", ArtifactType::kHtml, "<p>x", "First line"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(TitleTest, IsTheCallersIfThereIsOne) {
  EXPECT_EQ(TitleOf({ArtifactType::kHtml, "p", "Mine", ""}, "<title>x</title>"), "Mine");
}

TEST(TitleTest, IsShort) {
  EXPECT_LE(TitleOf({ArtifactType::kCode, std::string(5000, 'x'), "", ""}, "").size(), kMaxTitleBytes + 3);
}

}  // namespace
}  // namespace toolgate::executors::artifacts
