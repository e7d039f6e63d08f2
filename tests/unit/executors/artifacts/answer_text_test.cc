#include "executors/artifacts/answer_text.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/artifact_rules.h"

namespace toolgate::executors::artifacts {
namespace {

struct StripCase {
  const char* name;
  ArtifactType type;
  std::string answer;
  std::string code;
  std::string language = "";
};

class StripTest : public ::testing::TestWithParam<StripCase> {};

TEST_P(StripTest, LeavesTheSource) {
  const ExtractedSource source = StripWrapping(GetParam().answer, GetParam().type);
  EXPECT_EQ(source.code, GetParam().code);
  EXPECT_EQ(source.language, GetParam().language);
}

INSTANTIATE_TEST_SUITE_P(
    Wrappings, StripTest,
    ::testing::Values(
        StripCase{"Bare", ArtifactType::kCode, "print(1)", "print(1)\n"},
        StripCase{"Fence", ArtifactType::kCode, "```python\nprint(1)\n```", "print(1)\n", "python"},
        StripCase{"ProseAround", ArtifactType::kCode, "Here it is:\n\n```c\nint x;\n```\n\nEnjoy!", "int x;\n", "c"},
        StripCase{"TildeFence", ArtifactType::kCode, "~~~rust\nfn f() {}\n~~~", "fn f() {}\n", "rust"},
        StripCase{"LongFence", ArtifactType::kCode, "````md\n```\nx\n```\n````", "```\nx\n```\n", "md"},
        StripCase{"OpenFence", ArtifactType::kCode, "```python\nprint(1)\n", "print(1)\n", "python"},
        StripCase{"Indented", ArtifactType::kCode, "```python\n    x = 1\n```", "    x = 1\n", "python"},
        StripCase{"WindowsLines", ArtifactType::kCode, "```c\r\nint x;\r\n```\r\n", "int x;\n", "c"},
        StripCase{"ByteOrderMark", ArtifactType::kCode, "\xEF\xBB\xBFint x;", "int x;\n"},
        StripCase{"LargestFence", ArtifactType::kCode, "```sh\nmake\n```\n```c\nint main(void) {}\n```",
                  "int main(void) {}\n", "c"},
        StripCase{"FenceOfTheType", ArtifactType::kSvg,
                  "```html\n<p>a long page with much text in it</p>\n```\n```svg\n<svg></svg>\n```", "<svg></svg>\n",
                  "svg"},
        StripCase{"PageWithFenceInIt", ArtifactType::kHtml, "<!DOCTYPE html><html><pre>\n```\nx\n```\n</pre></html>",
                  "<!DOCTYPE html><html><pre>\n```\nx\n```\n</pre></html>\n"},
        StripCase{"ProseAroundPage", ArtifactType::kHtml, "Sure!\n<!doctype html><html></html>\nDone.",
                  "<!doctype html><html></html>\n"},
        StripCase{"PageAroundImage", ArtifactType::kSvg, "<html><body><svg a=\"1\"><g/></svg></body></html>",
                  "<svg a=\"1\"><g/></svg>\n"},
        StripCase{"ImagesInImage", ArtifactType::kSvg, "<svg><svg></svg></svg> ok", "<svg><svg></svg></svg>\n"},
        StripCase{"DocumentTypeOfImage", ArtifactType::kSvg, "<?xml version=\"1.0\"?><!DOCTYPE svg><svg/>",
                  "<!DOCTYPE svg><svg/>\n"},
        StripCase{"PageAroundDiagram", ArtifactType::kMermaid,
                  "<pre class=\"mermaid\">\nflowchart TD\n A--&gt;B\n</pre>", "\nflowchart TD\n A-->B\n"},
        StripCase{"PageAroundComponent", ArtifactType::kReact,
                  "<!DOCTYPE html><html><script type=\"text/babel\">\nexport default () => <b/>;\n</script></html>",
                  "export default () => <b/>;\n"},
        StripCase{"ArtifactTag", ArtifactType::kReact,
                  "<artifact type=\"react\">\nexport default () => null;\n</artifact>", "export default () => null;\n"},
        StripCase{"Document", ArtifactType::kMarkdown, "# A\n\n```c\nint x;\n```\n", "# A\n\n```c\nint x;\n```\n"},
        StripCase{"WrappedDocument", ArtifactType::kMarkdown, "```markdown\n# A\n\n```c\nint x;\n```\n\nb\n```",
                  "# A\n\n```c\nint x;\n```\n\nb\n", "markdown"},
        StripCase{"Nothing", ArtifactType::kCode, " \n ", ""}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PreValidateTest, RefusesWhatIsNoSource) {
  using testing::RulesIn;
  EXPECT_EQ(RulesIn(PreValidate("", ArtifactType::kCode, 100)), std::set<std::string>{"unsafe empty"});
  EXPECT_EQ(RulesIn(PreValidate("<p>" + std::string(100, 'x'), ArtifactType::kHtml, 100)),
            std::set<std::string>{"unsafe too-long"});
  EXPECT_EQ(RulesIn(PreValidate("I made a page for you", ArtifactType::kHtml, 100)),
            std::set<std::string>{"unsafe only-prose"});
  EXPECT_EQ(RulesIn(PreValidate("I made a program", ArtifactType::kCode, 100)),
            std::set<std::string>{"unsafe only-prose"});
  EXPECT_TRUE(PreValidate("x = 1", ArtifactType::kCode, 100).empty());
  EXPECT_TRUE(PreValidate("Only words", ArtifactType::kMarkdown, 100).empty());
}

TEST(RefusalTest, IsAShortAnswerThatDeclines) {
  EXPECT_TRUE(IsRefusal("I'm sorry, but I can't help with that.", ArtifactType::kCode));
  EXPECT_TRUE(IsRefusal("I\xE2\x80\x99m sorry, but I can\xE2\x80\x99t do that.", ArtifactType::kMarkdown));
  EXPECT_TRUE(IsRefusal("As an AI model, I must decline.", ArtifactType::kHtml));
  EXPECT_FALSE(IsRefusal("I'm sorry for the wait:\n```c\nint x;\n```", ArtifactType::kCode));
  EXPECT_FALSE(IsRefusal("I cannot " + std::string(2000, 'x'), ArtifactType::kMarkdown));
  EXPECT_FALSE(IsRefusal("I'm sorry that I was late yesterday.\n\nYours, Ann\n", ArtifactType::kMarkdown));
  EXPECT_FALSE(IsRefusal("# I cannot swim\n", ArtifactType::kMarkdown));
}

}  // namespace
}  // namespace toolgate::executors::artifacts
