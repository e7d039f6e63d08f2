#include "executors/artifacts/checks/markdown/markdown_check.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/artifact_rules.h"

namespace toolgate::executors::artifacts::checks::markdown {
namespace {

using testing::RuleCase;
using testing::RulesIn;

class MarkdownTest : public ::testing::TestWithParam<RuleCase> {};

TEST_P(MarkdownTest, BreaksTheseRules) { EXPECT_EQ(RulesIn(CheckMarkdown(GetParam().source)), GetParam().rules); }

INSTANTIATE_TEST_SUITE_P(
    Texts, MarkdownTest,
    ::testing::Values(
        RuleCase{"Document",
                 "# Title\n\n- [x] done\n- [a](https://example.com) <https://example.com>\n\n| a |\n|---|\n| 1 |\n"},
        RuleCase{"Rules",
                 "a\n\n----------------------------------------------------------------------------------\n\nb\n"},
        RuleCase{"Formatting", "Press <kbd>A</kbd>.<br>\n\n<details>\n<summary>More</summary>\n\ntext\n\n</details>\n"},
        RuleCase{"ScriptInCode",
                 "`<script>` and\n\n```html\n<script>alert(1)</script>\n[x](javascript:alert(1))\n```\n"},
        RuleCase{"EscapedLink", "\\[x](javascript:alert(1))\n"}, RuleCase{"WordJavascript", "javascript: a language\n"},
        RuleCase{"Empty", "\n", {"error empty-text"}},
        RuleCase{"ScriptLink", "[x](javascript:alert(1))\n", {"unsafe script-url"}},
        RuleCase{"MixedCase", "[x](JaVaScRiPt:alert(1))\n", {"unsafe script-url"}},
        RuleCase{"Entity", "[x](javascript&colon;alert(1))\n", {"unsafe script-url"}},
        RuleCase{"TabEntity", "[x](java&Tab;script:alert(1))\n", {"unsafe script-url"}},
        RuleCase{"NumericEntity", "[x](&#x6A;avascript:alert(1))\n", {"unsafe script-url"}},
        RuleCase{"ControlCharacter", "[x](<\x01javascript:alert(1)>)\n", {"unsafe script-url"}},
        RuleCase{"Reference", "[x][a]\n\n[a]: javascript:alert(1)\n", {"unsafe script-url"}},
        RuleCase{"Autolink", "<javascript:alert(1)>\n", {"unsafe script-url"}},
        RuleCase{"DataLink", "[x](data:text/html;base64,AA)\n", {"unsafe script-url"}},
        RuleCase{"Image", "![x](https://example.com/a.png)\n", {"warning external-media"}},
        RuleCase{"Script", "<script>alert(1)</script>\n", {"unsafe script-element"}},
        RuleCase{"InlineHandler", "text <img src=x onerror=alert(1)> text\n", {"unsafe event-handler"}},
        RuleCase{"Frame",
                 "<iframe src=\"https://example.com\"></iframe>\n",
                 {"unsafe external-document", "unsafe raw-embedding"}},
        RuleCase{"OddScheme", "[x](obsidian://open)\n", {"warning unusual-scheme"}},
        RuleCase{"TooDeep", std::string(200, '>') + "x\n", {"unsafe too-deep"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(MarkdownCheckTest, TellsTheLine) {
  const std::vector<Problem> problems = CheckMarkdown("# a\n\ntext\n\n<div>\n<script>x</script>\n</div>\n");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].line, 6);
}

}  // namespace
}  // namespace toolgate::executors::artifacts::checks::markdown
