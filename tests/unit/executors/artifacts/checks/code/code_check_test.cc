#include "executors/artifacts/checks/code/code_check.h"

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

INSTANTIATE_TEST_SUITE_P(
    Languages, CodeTest,
    ::testing::Values(CodeCase{"Python", "python", "def f(x):  # (\n    '''a ( \" '''\n    return [x, ')']\n"},
                      CodeCase{"PythonOpen", "Python", "def f(x:\n    return 1\n", {"warning unclosed-bracket"}},
                      CodeCase{"PythonDocOpen", "py", "\"\"\"x\n", {"warning unterminated-string"}},
                      CodeCase{"C", "c", "int f(void) { return '{' + '\\''; } /* ( */ // [\n"},
                      CodeCase{"CClosed", "c++", "int f() { return 1; } }\n", {"warning unexpected-bracket"}},
                      CodeCase{"CComment", "cpp", "/* x\n", {"warning unterminated-comment"}},
                      CodeCase{"RustLifetime", "rust", "fn f<'a>(x: &'a str) -> &'a str { x }\n"},
                      CodeCase{"GoRaw", "go", "var s = `a ( \\`\n"},
                      CodeCase{"SqlQuote", "sql", "SELECT 'it''s (' -- )\nFROM t;\n"},
                      CodeCase{"JsonString", "json", "{\"a\": [1, \"]\"]}\n"},
                      CodeCase{"JsonOpen", "json", "{\"a\": [1}\n", {"warning unexpected-bracket"}},
                      CodeCase{"Shell", "bash", "case x in a) echo ;; esac\n"}, CodeCase{"NoLanguage", "", "((((\n"},
                      CodeCase{"Empty", "c", ""}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace toolgate::executors::artifacts::checks::code
