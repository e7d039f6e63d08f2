#include "executors/artifacts/checks/svg/svg_check.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/artifact_rules.h"

namespace toolgate::executors::artifacts::checks::svg {
namespace {

using testing::RuleCase;
using testing::RulesIn;

std::string Svg(const std::string& content, const std::string& attributes = "") {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 9 9\" " +
         attributes + ">\n" + content + "\n</svg>\n";
}

class SvgTest : public ::testing::TestWithParam<RuleCase> {};

TEST_P(SvgTest, BreaksTheseRules) { EXPECT_EQ(RulesIn(CheckSvg(GetParam().source)), GetParam().rules); }

INSTANTIATE_TEST_SUITE_P(
    Harmless, SvgTest,
    ::testing::Values(
        RuleCase{"Shapes", Svg("<title>a &amp; b &#160;</title><circle r=\"1\" transform=\"rotate(45 1 1)\"/>")},
        RuleCase{"Declaration", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + Svg("<g/>")},
        RuleCase{"Gradient",
                 Svg("<defs><linearGradient id=\"g\"/></defs><rect fill=\"url(#g)\" style=\"stroke:url('#g')\"/>")},
        RuleCase{"Use", Svg("<g id=\"a\"/><use href=\"#a\"/><use xlink:href=\"#a\"/>")},
        RuleCase{"RasterImage", Svg("<image href=\"data:image/png;base64,AA\"/>")},
        RuleCase{"Animation", Svg("<rect><animate attributeName=\"x\" from=\"0\" to=\"9\" values=\"0;9\"/></rect>")},
        RuleCase{"Style", Svg("<style>.a { fill: url(#g); } /* @import 'x' */</style>")},
        RuleCase{"WordsAboutScripts", Svg("<text>onclick=\"x\" &lt;script&gt; javascript:</text><desc>on load</desc>")},
        RuleCase{"AttributesLikeHandlers", Svg("<g id=\"onload\" class=\"online\" data-on=\"1\"/>")},
        RuleCase{"Editor", Svg("<i:namedview xmlns:i=\"http://www.inkscape.org/namespaces/inkscape\"/>")}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Malformed, SvgTest,
    ::testing::Values(RuleCase{"Nothing", " ", {"error not-well-formed"}},
                      RuleCase{"NoSvg", "<html xmlns=\"http://www.w3.org/2000/svg\"/>", {"error not-svg"}},
                      RuleCase{"NoNamespace", "<svg><g/></svg>", {"error no-namespace"}},
                      RuleCase{"Unclosed", "<svg xmlns=\"http://www.w3.org/2000/svg\"><g>", {"error not-well-formed"}},
                      RuleCase{"BareAmpersand", Svg("<text>a & b</text>"), {"error not-well-formed"}},
                      RuleCase{"HtmlEntity", Svg("<text>&nbsp;</text>"), {"error not-well-formed"}},
                      RuleCase{"TwoRoots", Svg("") + Svg(""), {"error not-well-formed"}},
                      RuleCase{"TooDeep",
                               Svg([] {
                                 std::string deep;
                                 for (int i = 0; i < 300; ++i) deep += "<g>";
                                 return deep;
                               }()),
                               {"unsafe too-large"}}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Attacks, SvgTest,
    ::testing::Values(
        RuleCase{"Script", Svg("<script>alert(1)</script>"), {"unsafe active-element"}},
        RuleCase{
            "ScriptByPrefix", Svg("<s:script xmlns:s=\"http://www.w3.org/2000/svg\"/>"), {"unsafe active-element"}},
        RuleCase{"ScriptInCapitals", Svg("<SCRIPT/>"), {"unsafe active-element"}},
        RuleCase{"XhtmlScript", Svg("<script xmlns=\"http://www.w3.org/1999/xhtml\"/>"), {"unsafe active-element"}},
        RuleCase{"XhtmlElement", Svg("<p xmlns=\"http://www.w3.org/1999/xhtml\"/>"), {"unsafe foreign-namespace"}},
        RuleCase{"ForeignObject", Svg("<foreignObject/>"), {"unsafe active-element"}},
        RuleCase{"Handler", Svg("<g/>", "onload=\"alert(1)\""), {"unsafe event-handler"}},
        RuleCase{"HandlerInMixedCase", Svg("<g onClick=\"x\"/>"), {"unsafe event-handler"}},
        RuleCase{"ScriptLink", Svg("<a href=\"javascript:alert(1)\"/>"), {"unsafe script-url"}},
        RuleCase{"ScriptLinkByReference", Svg("<a xlink:href=\"java&#115;cript:alert(1)\"/>"), {"unsafe script-url"}},
        RuleCase{"ScriptLinkWithTab", Svg("<a href=\"java&#9;script:alert(1)\"/>"), {"unsafe script-url"}},
        RuleCase{"LinkToData", Svg("<a href=\"data:image/svg+xml,x\"/>"), {"unsafe external-reference"}},
        RuleCase{"UseElsewhere", Svg("<use href=\"https://evil.example/a.svg#x\"/>"), {"unsafe external-reference"}},
        RuleCase{"UseOfData", Svg("<use href=\"data:image/svg+xml,x#y\"/>"), {"unsafe external-reference"}},
        RuleCase{"UseOfFile", Svg("<use href=\"other.svg#x\"/>"), {"unsafe external-reference"}},
        RuleCase{"ImageElsewhere", Svg("<image href=\"https://evil.example/a.png\"/>"), {"unsafe external-reference"}},
        RuleCase{"SetHref",
                 Svg("<a><set attributeName=\"href\" to=\"javascript:alert(1)\"/></a>"),
                 {"unsafe animated-reference", "unsafe script-url"}},
        RuleCase{"AnimateXlink",
                 Svg("<a><animate attributeName=\"xlink:href\" values=\"#;#x\"/></a>"),
                 {"unsafe animated-reference"}},
        RuleCase{"AnimateHandler", Svg("<set attributeName=\"onclick\" to=\"x\"/>"), {"unsafe animated-reference"}},
        RuleCase{"Import", Svg("<style>@import 'https://evil.example/x.css';</style>"), {"unsafe style-import"}},
        RuleCase{"ImportInCdata", Svg("<style><![CDATA[@\\69mport 'x.css';]]></style>"), {"unsafe style-import"}},
        RuleCase{"StyleUrl", Svg("<rect style=\"fill:url(https://evil.example/x)\"/>"), {"unsafe external-reference"}},
        RuleCase{"PropertyUrl", Svg("<rect filter=\"url(//evil.example/x#f)\"/>"), {"unsafe external-reference"}},
        RuleCase{"XmlBase", Svg("<g xml:base=\"https://evil.example/\"/>"), {"unsafe external-reference"}},
        RuleCase{
            "StyleSheetInstruction", "<?xml-stylesheet href=\"x.css\"?>" + Svg(""), {"unsafe processing-instruction"}},
        RuleCase{"DocumentType", "<!DOCTYPE svg SYSTEM \"x.dtd\">" + Svg(""), {"unsafe document-type"}},
        RuleCase{"Entities",
                 "<!DOCTYPE svg [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>" +
                     Svg("<text>&b;</text>"),
                 {"unsafe document-type"}},
        RuleCase{"ExternalEntity",
                 "<!DOCTYPE svg [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>" + Svg("<text>&x;</text>"),
                 {"unsafe document-type"}},
        RuleCase{"Frame", Svg("<iframe src=\"x\"/>"), {"unsafe active-element", "unsafe external-reference"}},
        RuleCase{"WebLink", Svg("<a href=\"https://example.com\"/>"), {"warning external-link"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(SvgCheckTest, TellsThePlaceOfAnElement) {
  const std::vector<Problem> problems = CheckSvg(Svg("<g/>\n  <script/>"));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].line, 3);
  EXPECT_EQ(problems[0].column, 3);
}

TEST(SvgCheckTest, TellsThePlaceOfAnError) {
  const std::vector<Problem> problems = CheckSvg(Svg("<g>\n</rect>"));
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].line, 3);
}

}  // namespace
}  // namespace toolgate::executors::artifacts::checks::svg
