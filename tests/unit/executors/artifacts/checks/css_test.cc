#include "executors/artifacts/checks/css.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::executors::artifacts::checks {
namespace {

using Kind = CssReference::Kind;

struct CssCase {
  const char* name;
  std::string css;
  std::vector<Kind> kinds;
};

class CssTest : public ::testing::TestWithParam<CssCase> {};

TEST_P(CssTest, FindsReferences) {
  std::vector<Kind> kinds;
  for (const CssReference& reference : FindCssReferences(GetParam().css)) kinds.push_back(reference.kind);
  EXPECT_EQ(kinds, GetParam().kinds);
}

INSTANTIATE_TEST_SUITE_P(
    Sheets, CssTest,
    ::testing::Values(CssCase{"Plain", "a { color: red; margin: calc(1px + 2px) }", {}},
                      CssCase{"Url", "a { background: url(x.png) }", {Kind::kUrl}},
                      CssCase{"UrlInCapitals", "a { background: URL('x.png') }", {Kind::kUrl}},
                      CssCase{"UrlByEscapes", "a { background: \\75\\72 l(x.png) }", {Kind::kUrl}},
                      CssCase{"ImportOfString", "@import \"x.css\";", {Kind::kImport}},
                      CssCase{"ImportOfUrl", "@import url(x.css);", {Kind::kImport}},
                      CssCase{"ImportByEscapes", "@\\69mport 'x.css';", {Kind::kImport}},
                      CssCase{"ImportAfterComment", "@import/**/'x.css';", {Kind::kImport}},
                      CssCase{"Expression", "a { width: expression(alert(1)) }", {Kind::kScript}},
                      CssCase{"Binding", "a { -moz-binding: url(x.xml#y) }", {Kind::kScript, Kind::kUrl}},
                      CssCase{"Behaviour", "a { behavior: url(x.htc) }", {Kind::kScript, Kind::kUrl}},
                      CssCase{
                          "ImageSet", "a { background: image-set('x.png' 1x, 'y.png' 2x) }", {Kind::kUrl, Kind::kUrl}},
                      CssCase{"ImportInComment", "/* @import 'x.css'; url(y) */", {}},
                      CssCase{"UrlInString", "a::after { content: \"url(x) @import 'y'\" }", {}},
                      CssCase{"ScrollBehaviour", "a { scroll-behavior: smooth; overscroll-behavior: none }", {}},
                      CssCase{"UnclosedComment", "a { } /* url(x)", {}}, CssCase{"UnclosedUrl", "url(x", {Kind::kUrl}},
                      CssCase{"LoneBackslash", "\\", {}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CssTest, ResolvesEscapesInAddresses) {
  const auto found = FindCssReferences("a{background:url(\"\\6a avascript:alert(1)\")}");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].url.kind, UrlKind::kScript);
}

}  // namespace
}  // namespace toolgate::executors::artifacts::checks
