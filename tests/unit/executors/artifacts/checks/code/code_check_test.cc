#include "executors/artifacts/checks/code/code_check.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/artifact_rules.h"

namespace toolgate::executors::artifacts::checks::code {
namespace {

struct CodeCase {
  const char* name;
  std::string language;
  std::string source;
  std::set<std::string> rules = {};
};

class CodeTest : public ::testing::TestWithParam<CodeCase> {};

TEST_P(CodeTest, WarnsOfTheseRules) {
  EXPECT_EQ(testing::RulesIn(CheckCode(GetParam().source, GetParam().language)), GetParam().rules);
}

constexpr char kUnchecked[] = "unchecked not-checked";

INSTANTIATE_TEST_SUITE_P(
    Languages, CodeTest,
    ::testing::Values(
        CodeCase{"Python", "python", "def f(x):  # (\n    '''a ( \" '''\n    return [x, ')']\n", {kUnchecked}},
        CodeCase{"PythonWrong", "python", "def def (x) = return\n", {kUnchecked}},
        CodeCase{"PythonOpen", "Python", "def f(x:\n    return 1\n", {kUnchecked, "warning unclosed-bracket"}},
        CodeCase{"PythonDocOpen", "py", "\"\"\"x\n", {kUnchecked, "warning unterminated-string"}},
        CodeCase{"C", "c", "int f(void) { return '{' + '\\''; } /* ( */ // [\n", {kUnchecked}},
        CodeCase{"CClosed", "c++", "int f() { return 1; } }\n", {kUnchecked, "warning unexpected-bracket"}},
        CodeCase{"CComment", "cpp", "/* x\n", {kUnchecked, "warning unterminated-comment"}},
        CodeCase{"RustLifetime", "rust", "fn f<'a>(x: &'a str) -> &'a str { x }\n", {kUnchecked}},
        CodeCase{"GoRaw", "go", "var s = `a ( \\`\n", {kUnchecked}},
        CodeCase{"SqlQuote", "sql", "SELECT 'it''s (' -- )\nFROM t;\n", {kUnchecked}},
        CodeCase{"Shell", "bash", "case x in a) echo ;; esac\n", {kUnchecked}},
        CodeCase{"NoLanguage", "", "((((\n", {kUnchecked}}, CodeCase{"Empty", "c", "", {kUnchecked}},
        CodeCase{"Json", "json", "{\"a\": [1, \"]\"], \"b\": {\"a\": null, \"a\": -1.5e3}}\n"},
        CodeCase{"JsonInCapitals", "JSON", "[]"}, CodeCase{"JsonOpen", "json", "{\"a\": [1}\n", {"error not-json"}},
        CodeCase{"JsonTrailingComma", "json", "[1, 2,]", {"error not-json"}},
        CodeCase{"JsonComment", "json", "// settings\n{}", {"error not-json"}},
        CodeCase{"JsonSingleQuotes", "json", "{'a': 1}", {"error not-json"}},
        CodeCase{"JsonTwoValues", "json", "{}\n{}", {"error not-json"}},
        CodeCase{"JsonOpenString", "json", "{\"a", {"error not-json"}},
        CodeCase{"JsonHugeNumber", "json", "[1e999]", {kUnchecked}},
        CodeCase{"JsonDeep", "json", std::string(100'000, '[') + std::string(100'000, ']')},
        CodeCase{"JsonWithComments", "jsonc", "// settings\n{}", {kUnchecked}}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace toolgate::executors::artifacts::checks::code
