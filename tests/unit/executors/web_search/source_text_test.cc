#include "executors/web_search/source_text.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::executors::web_search {
namespace {

TEST(CleanLineTest, FoldsBlanksAndLineEnds) {
  EXPECT_EQ(CleanLine("  one\r\n two\t\u00A0three\u2028four ", 100), "one two three four");
}

TEST(CleanLineTest, DropsInvisibleCharacters) {
  EXPECT_EQ(CleanLine("a\u200Bb\u202Ec\uFEFFd\x1B[31me\u00ADf\U000E0041g", 100), "abcd[31mefg");
}

TEST(CleanLineTest, KeepsScriptsThatJoinTheirLetters) {
  EXPECT_EQ(CleanLine("می\u200Cخواهم 👩\u200D🔬", 100), "می\u200Cخواهم 👩\u200D🔬");
}

TEST(CleanLineTest, CutsWhereACharacterEnds) {
  EXPECT_EQ(CleanLine("žižkov", 3), "ži…");
  EXPECT_EQ(CleanLine("žižkov", 8), "žižkov");
}

struct UrlCase {
  std::string name;
  std::string url;
  std::optional<std::string> clean;
};

class CleanUrlTest : public ::testing::TestWithParam<UrlCase> {};

TEST_P(CleanUrlTest, AnswersASafeAddressOrNone) { EXPECT_EQ(CleanUrl(GetParam().url), GetParam().clean); }

INSTANTIATE_TEST_SUITE_P(Kept, CleanUrlTest,
                         ::testing::ValuesIn(std::vector<UrlCase>{
                             {"Plain", "https://example.com/a?b=c&d=%20#e", "https://example.com/a?b=c&d=%20#e"},
                             {"Capitals", "HTTPS://Example.COM/Path", "https://example.com/Path"},
                             {"Blanks", " http://example.com ", "http://example.com"},
                             {"Port", "http://example.com:8080/", "http://example.com:8080/"},
                             {"IpV6", "http://[2001:DB8::1]:80/x", "http://[2001:db8::1]:80/x"},
                             {"Parentheses", "https://en.wikipedia.org/wiki/Mercury_(planet)",
                              "https://en.wikipedia.org/wiki/Mercury_%28planet%29"},
                             {"Quotes", "https://example.com/\"><script>", "https://example.com/%22%3E%3Cscript%3E"},
                             {"OtherScript", "https://example.com/ž", "https://example.com/%C5%BE"},
                             {"AtInPath", "https://example.com/@user", "https://example.com/@user"},
                             {"BlankInPath", "https://example.com/a b", "https://example.com/a%20b"},
                         }),
                         [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(Refused, CleanUrlTest,
                         ::testing::ValuesIn(std::vector<UrlCase>{
                             {"Nothing", "", std::nullopt},
                             {"Script", "javascript:alert(1)", std::nullopt},
                             {"Data", "data:text/html,x", std::nullopt},
                             {"File", "file:///etc/passwd", std::nullopt},
                             {"Ftp", "ftp://example.com/", std::nullopt},
                             {"Relative", "/search", std::nullopt},
                             {"NoHost", "https:///path", std::nullopt},
                             {"User", "https://bank.com@evil.com/", std::nullopt},
                             {"UserAndPassword", "https://a:b@example.com/", std::nullopt},
                             {"HostOfAnotherScript", "https://аpple.com/", std::nullopt},
                             {"BackslashAfterHost", "https://a.com\\@evil.com/", std::nullopt},
                             {"LineEnd", "https://example.com/a\nb", std::nullopt},
                             {"LongPort", "https://example.com:123456/", std::nullopt},
                             {"PortOfLetters", "https://example.com:x/", std::nullopt},
                             {"Long", "https://example.com/" + std::string(2048, 'a'), std::nullopt},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(PageKeyTest, IsTheSameForAddressesOfOnePage) {
  for (const char* const url :
       {"https://example.com/a", "http://example.com/a/", "https://www.example.com/a#part", "https://example.com/a#"}) {
    EXPECT_EQ(PageKey(url), "example.com/a") << url;
  }
  EXPECT_NE(PageKey("https://example.com/a?b=1"), PageKey("https://example.com/a?b=2"));
}

}  // namespace
}  // namespace toolgate::executors::web_search
