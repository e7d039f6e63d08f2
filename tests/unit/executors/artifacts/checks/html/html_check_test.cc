#include "executors/artifacts/checks/html/html_check.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "executors/artifacts/checks/html/html_tree.h"
#include "gtest/gtest.h"
#include "tests/support/artifact_rules.h"

namespace toolgate::executors::artifacts::checks::html {
namespace {

using testing::RuleCase;
using testing::RulesIn;

std::string Page(const std::string& body, const std::string& head = "") {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>T</title>" + head +
         "</head>\n<body>\n" + body + "\n</body></html>\n";
}

constexpr char kUnchecked[] = "unchecked not-checked";

class PageTest : public ::testing::TestWithParam<RuleCase> {};

TEST_P(PageTest, BreaksTheseRules) {
  const HtmlPolicy policy{{"cdnjs.cloudflare.com"}};
  std::set<std::string> rules = RulesIn(CheckPage(GetParam().source, policy));
  rules.erase(kUnchecked);
  EXPECT_EQ(rules, GetParam().rules);
}

TEST(ScriptNoteTest, IsOfPagesWithCodeInThem) {
  const auto noted = [](const std::string& body) { return RulesIn(CheckPage(Page(body), {})).contains(kUnchecked); };
  EXPECT_TRUE(noted("<p>x</p><script>let = ;</script>"));
  EXPECT_TRUE(noted("<p>x</p><script type=\"module\">let = ;</script>"));
  EXPECT_TRUE(noted("<p>x</p><script type=\"text/javascript\">let = ;</script>"));
  EXPECT_TRUE(noted("<button onclick=\"if (\">x</button>"));
  EXPECT_FALSE(noted("<p>x</p>"));
  EXPECT_FALSE(noted("<p>x</p><script type=\"application/json\">{}</script>"));
  EXPECT_FALSE(noted("<p>x</p><pre>&lt;script&gt;let = ;&lt;/script&gt;</pre>"));
}

INSTANTIATE_TEST_SUITE_P(
    Structure, PageTest,
    ::testing::Values(
        RuleCase{"Complete",
                 Page("<h1>Hi</h1><p>One<p>Two<ul><li>a<li>b</ul><br><img alt=\"\" src=\"data:image/png;base64,AA\">")},
        RuleCase{"InlineScript", Page("<button onclick=\"go()\">x</button><script>if (a < b) go('</div>');</script>")},
        RuleCase{"Table", Page("<table><tr><td>1<td>2<tr><td>3</table>")},
        RuleCase{"SvgInPage",
                 Page("<svg viewBox=\"0 0 1 1\"><title>x</title><path d=\"M0 0\"/><g><circle r=\"1\"/></g></svg>")},
        RuleCase{"UnclosedDiv", Page("<div><p>x</p>"), {"error unclosed-element"}},
        RuleCase{"UnclosedBold", Page("<p><b>x</p>"), {"warning unclosed-element"}},
        RuleCase{"UnclosedScript", "<!DOCTYPE html><html><body><p>x</p><script>let a = 1;", {"error unclosed-element"}},
        RuleCase{"UnterminatedTag", "<!DOCTYPE html><html><body><p>x</p><img src=\"a", {"error unterminated-tag"}},
        RuleCase{"UnterminatedComment", "<!DOCTYPE html><html><body><p>x</p><!-- a", {"error unterminated-comment"}},
        RuleCase{"MisplacedInTable", Page("<table><div>x</div><tr><td>1</table>"), {"warning misplaced-in-table"}},
        RuleCase{"Fragment", "<p>x</p>", {"warning fragment"}},
        RuleCase{"NoDoctype", "<html><body><p>x</p></body></html>", {"warning no-doctype"}},
        RuleCase{"EmptyBody", Page(""), {"error empty-page"}},
        RuleCase{"TooManyTags",
                 Page(std::string(30000, '<') +
                      [] {
                        std::string tags;
                        for (size_t i = 0; i <= HtmlTree::kMaxTags; ++i) tags += "<b>";
                        return tags;
                      }()),
                 {"unsafe too-large"}}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Policy, PageTest,
    ::testing::Values(
        RuleCase{"AllowedScript", Page("<p>x</p>", "<script src=\"https://cdnjs.cloudflare.com/a.js\"></script>")},
        RuleCase{"OtherScript",
                 Page("<p>x</p><script src=\"https://evil.example/a.js\"></script>"),
                 {"unsafe external-script"}},
        RuleCase{"LookAlikeHost",
                 Page("<p>x</p><script src=\"https://cdnjs.cloudflare.com.evil.example/a.js\"></script>"),
                 {"unsafe external-script"}},
        RuleCase{"UserLikeHost",
                 Page("<p>x</p><script src=\"https://cdnjs.cloudflare.com@evil.example/a.js\"></script>"),
                 {"unsafe external-script"}},
        RuleCase{
            "SchemelessScript", Page("<p>x</p><SCRIPT SRC=//evil.example/a.js></SCRIPT>"), {"unsafe external-script"}},
        RuleCase{"ScriptInSvg",
                 Page("<svg><script xlink:href=\"https://evil.example/a.js\"></script></svg>"),
                 {"unsafe external-script"}},
        RuleCase{"ScriptFile", Page("<p>x</p><script src=\"app.js\"></script>"), {"error missing-file"}},
        RuleCase{"ModuleElsewhere",
                 Page("<p>x</p><script type=\"module\">import a from 'https://evil.example/a.js';</script>"),
                 {"unsafe external-script"}},
        RuleCase{"DynamicImport",
                 Page("<p>x</p><script>import(\"//evil.example/a.js\").then(f);</script>"),
                 {"unsafe external-script"}},
        RuleCase{"ReExport",
                 Page("<p>x</p><script type=module>export * from \"https://evil.example/a.js\"</script>"),
                 {"unsafe external-script"}},
        RuleCase{
            "ImportMap",
            Page("<p>x</p><script type=\"importmap\">{\"imports\": {\"a\": \"https://evil.example/a.js\"}}</script>"),
            {"unsafe external-script"}},
        RuleCase{
            "AllowedModule",
            Page(
                "<p>x</p><script type=module>import a from 'https://cdnjs.cloudflare.com/a.js'; import 'b';</script>")},
        RuleCase{"AddressInText",
                 Page("<p>x</p><script>// import 'https://evil.example'\nconst from = 'https://evil.example/'; "
                      "say(\"import 'https://evil.example/a.js'\");</script>")},
        RuleCase{"Base", Page("<p>x</p>", "<base href=\"https://evil.example/\">"), {"unsafe base-element"}},
        RuleCase{"Refresh",
                 Page("<p>x</p>", "<meta http-equiv=\"ReFresh\" content=\"0;url=https://evil.example\">"),
                 {"unsafe meta-refresh"}},
        RuleCase{
            "FormElsewhere", Page("<form action=\"https://evil.example/\"><input></form>"), {"unsafe form-elsewhere"}},
        RuleCase{"FormAction",
                 Page("<form><button formaction=\"//evil.example\">x</button></form>"),
                 {"unsafe form-elsewhere"}},
        RuleCase{"FormHere", Page("<form onsubmit=\"return false\" action=\"#\"><input></form>")},
        RuleCase{"Frame", Page("<iframe src=\"https://evil.example\"></iframe>"), {"unsafe external-document"}},
        RuleCase{"ScriptLink", Page("<a href=\"java&#10;script:void(0)\">x</a>"), {"warning script-url"}},
        RuleCase{"WebLink", Page("<a href=\"https://example.com\">x</a>")},
        RuleCase{"Ping", Page("<a href=\"#\" ping=\"https://evil.example\">x</a>"), {"unsafe ping"}},
        RuleCase{"Image", Page("<img src=\"https://example.com/a.png\">"), {"warning external-media"}},
        RuleCase{
            "ImageSet", Page("<img srcset=\"a.png 1x, https://example.com/b.png 2x\">"), {"warning external-media"}},
        RuleCase{"SvgAsImage", Page("<img src=\"data:image/svg+xml,&lt;svg/&gt;\">")},
        RuleCase{"Stylesheet",
                 Page("<p>x</p>", "<link rel=\"stylesheet\" href=\"https://fonts.example/x.css\">"),
                 {"error external-style"}},
        RuleCase{"StyleFile", Page("<p>x</p>", "<link rel=stylesheet href=style.css>"), {"error missing-file"}},
        RuleCase{"StyleImport", Page("<p>x</p>", "<style>@import 'x.css';</style>"), {"error style-import"}},
        RuleCase{"StyleUrl",
                 Page("<p style=\"background:url(https://example.com/a.png)\">x</p>"),
                 {"warning external-media"}},
        RuleCase{"StyleScript", Page("<p style=\"width:expression(alert(1))\">x</p>"), {"error script-in-style"}},
        RuleCase{"WordsAboutIt", Page("<p>Never use &lt;base&gt;, javascript: or meta refresh.</p>")}),
    [](const auto& test) { return std::string(test.param.name); });

class EmbeddedTest : public ::testing::TestWithParam<RuleCase> {};

TEST_P(EmbeddedTest, BreaksTheseRules) { EXPECT_EQ(RulesIn(CheckEmbedded(GetParam().source)), GetParam().rules); }

INSTANTIATE_TEST_SUITE_P(
    Fragments, EmbeddedTest,
    ::testing::Values(RuleCase{"Formatting", "<details><summary>x</summary><kbd>a</kbd><br></details>"},
                      RuleCase{"Script", "<script>x</script>", {"unsafe script-element"}},
                      RuleCase{"Handler", "<img src=x oNerror=alert(1)>", {"unsafe event-handler"}},
                      RuleCase{"HandlerAfterSlash", "<svg/onload=alert(1)>", {"unsafe event-handler"}},
                      RuleCase{"ScriptLink", "<a href=\"jav&#x09;ascript:alert(1)\">x</a>", {"unsafe script-url"}},
                      RuleCase{"Animation",
                               "<svg><a><animate attributeName=href values=\"#;javascript:alert(1)\"></a></svg>",
                               {"unsafe script-url"}},
                      RuleCase{"Frame", "<iframe srcdoc=\"x\"></iframe>", {"unsafe raw-embedding"}},
                      RuleCase{"Style", "<style>p{}</style>", {"unsafe raw-style"}},
                      RuleCase{"Form", "<form></form>", {"unsafe raw-embedding"}},
                      RuleCase{"Base", "<base href=/>", {"unsafe base-element"}},
                      RuleCase{"InTemplate", "<template><img src=x onerror=y></template>", {"unsafe event-handler"}},
                      RuleCase{"ClosedTitle",
                               "<title><img title=\"</title><img src=x onerror=alert(1)>\"></title>",
                               {"unsafe event-handler"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(HtmlCheckTest, TellsThePlace) {
  const std::vector<Problem> problems = CheckPage(Page("<p>x</p>\n  <div>"), {});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].line, 5);
  EXPECT_EQ(problems[0].column, 3);
}

TEST(HtmlCheckTest, BoundsCopiesOfFormattingElements) {
  std::string fonts = "<p>";
  for (int i = 0; i < 2000; ++i) fonts += "<font color=" + std::to_string(i) + ">";
  for (int i = 0; i < 2900; ++i) fonts += "<p>x";
  EXPECT_EQ(RulesIn(CheckPage(fonts, {})), std::set<std::string>{"unsafe too-large"});
}

TEST(HtmlCheckTest, ReadsADeepTree) {
  std::string deep;
  for (size_t i = 0; i < HtmlTree::kMaxTags - 10; ++i) deep += "<div>";
  EXPECT_TRUE(RulesIn(CheckPage(deep, {})).contains("error unclosed-element"));
}

}  // namespace
}  // namespace toolgate::executors::artifacts::checks::html
