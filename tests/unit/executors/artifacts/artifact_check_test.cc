#include "executors/artifacts/artifact_check.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/support/artifact_rules.h"

namespace toolgate::executors::artifacts {
namespace {

using testing::RulesIn;

TEST(ValidateCodeTest, ChecksByType) {
  const ArtifactPolicy policy;
  EXPECT_TRUE(RulesIn(ValidateCode("<p></p>", ArtifactType::kSvg, "", policy)).contains("error not-svg"));
  EXPECT_TRUE(RulesIn(ValidateCode("<p>", ArtifactType::kHtml, "", policy)).contains("warning fragment"));
  EXPECT_TRUE(RulesIn(ValidateCode("<p>", ArtifactType::kMermaid, "", policy)).contains("error unknown-diagram"));
  EXPECT_TRUE(RulesIn(ValidateCode("<p>", ArtifactType::kReact, "", policy)).contains("error unclosed-element"));
  EXPECT_TRUE(RulesIn(ValidateCode("<base>", ArtifactType::kMarkdown, "", policy)).contains("unsafe base-element"));
  EXPECT_TRUE(RulesIn(ValidateCode("(", ArtifactType::kCode, "c", policy)).contains("warning unclosed-bracket"));
}

TEST(ValidateCodeTest, SaysWhatIsNotCheckedUnlessSomethingIsWrong) {
  const ArtifactPolicy policy;
  const auto is_noted = [&](const char* code, ArtifactType type) {
    return checks::HasUnchecked(ValidateCode(code, type, "", policy));
  };
  EXPECT_TRUE(is_noted("export default function App() { const = 5; return <p/>; }", ArtifactType::kReact));
  EXPECT_FALSE(is_noted("export default function App() { const = 5; return <p>; }", ArtifactType::kReact));
  EXPECT_TRUE(is_noted("<p>x</p><script>let = 5;</script>", ArtifactType::kHtml));
  EXPECT_FALSE(is_noted("<div>x<script>let = 5;</script>", ArtifactType::kHtml));
  EXPECT_TRUE(is_noted("def def\n", ArtifactType::kCode));
  EXPECT_FALSE(is_noted("# A plan\n", ArtifactType::kMarkdown));
  EXPECT_FALSE(is_noted("flowchart TD\n  A --> B\n", ArtifactType::kMermaid));
}

TEST(ValidateCodeTest, KnowsAllowedModules) {
  ArtifactPolicy policy;
  const std::string source = "import d3 from 'd3';\nexport default function App() { return null; }\n";
  EXPECT_TRUE(RulesIn(ValidateCode(source, ArtifactType::kReact, "", policy)).contains("error import-not-allowed"));
  policy.react.modules = {"d3"};
  EXPECT_FALSE(RulesIn(ValidateCode(source, ArtifactType::kReact, "", policy)).contains("error import-not-allowed"));
}

struct FixCase {
  const char* name;
  ArtifactType type;
  std::string before;
  std::string after;
};

class FixTest : public ::testing::TestWithParam<FixCase> {};

TEST_P(FixTest, PutsInTheOneRightForm) { EXPECT_EQ(FixLocally(GetParam().before, GetParam().type), GetParam().after); }

INSTANTIATE_TEST_SUITE_P(
    Fixes, FixTest,
    ::testing::Values(
        FixCase{"Doctype", ArtifactType::kHtml, "<html></html>", "<!DOCTYPE html>\n<html></html>"},
        FixCase{"FragmentStays", ArtifactType::kHtml, "<p>x</p>", "<p>x</p>"},
        FixCase{"Namespace", ArtifactType::kSvg, "<svg a=\"1\"/>",
                "<svg xmlns=\"http://www.w3.org/2000/svg\" a=\"1\"/>"},
        FixCase{"Xlink", ArtifactType::kSvg, "<svg xmlns=\"x\"><use xlink:href=\"#a\"/></svg>",
                "<svg xmlns:xlink=\"http://www.w3.org/1999/xlink\" xmlns=\"x\"><use xlink:href=\"#a\"/></svg>"},
        FixCase{"Entity", ArtifactType::kSvg, "<svg xmlns=\"x\">a&nbsp;b</svg>", "<svg xmlns=\"x\">a&#160;b</svg>"},
        FixCase{"DocumentType", ArtifactType::kSvg, "<!DOCTYPE svg PUBLIC \"a\" \"b\">\n<svg xmlns=\"x\"/>",
                "<svg xmlns=\"x\"/>"},
        FixCase{"DocumentTypeWithEntitiesStays", ArtifactType::kSvg,
                "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg xmlns=\"x\"/>",
                "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg xmlns=\"x\"/>"},
        FixCase{"Jsx", ArtifactType::kReact, "export default () => <p class=\"a\">x<br></p>",
                "export default () => <p className=\"a\">x<br /></p>"},
        FixCase{"CodeStays", ArtifactType::kCode, "<br>", "<br>"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace toolgate::executors::artifacts
