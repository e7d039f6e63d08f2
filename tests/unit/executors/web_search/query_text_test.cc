#include "executors/web_search/query_text.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::executors::web_search {
namespace {

struct QueryCase {
  std::string name;
  std::string query;
  std::string tidy;
};

class TidyQueryTest : public ::testing::TestWithParam<QueryCase> {};

TEST_P(TidyQueryTest, KeepsTheWordsThatASearchNeeds) { EXPECT_EQ(TidyQuery(GetParam().query), GetParam().tidy); }

INSTANTIATE_TEST_SUITE_P(Chat, TidyQueryTest,
                         ::testing::ValuesIn(std::vector<QueryCase>{
                             {"Blanks", "  weather \t in\n Vienna ", "weather in Vienna"},
                             {"Command", "search the web for cheap flights to Oslo", "cheap flights to Oslo"},
                             {"LookUp", "Look up the population of Norway", "the population of Norway"},
                             {"Request", "Can you find me a bakery in Graz?", "a bakery in Graz"},
                             {"RequestWithPlease", "could you please search for the GDP of Chile", "the GDP of Chile"},
                             {"GreetingAndThanks", "Hi, could you look up ferries to Kiel, please? Thanks!",
                              "ferries to Kiel"},
                             {"Thanks", "opening hours of the Albertina, thank you", "opening hours of the Albertina"},
                             {"Wish", "I'd like to find out how tall K2 is.", "how tall K2 is"},
                             {"Capitals", "PLEASE SEARCH ONLINE FOR BUS 13A", "BUS 13A"},
                         }),
                         [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(Honest, TidyQueryTest,
                         ::testing::ValuesIn(std::vector<QueryCase>{
                             {"Plain", "SQLite latest release", "SQLite latest release"},
                             {"Question", "what is the capital of Peru?", "what is the capital of Peru?"},
                             {"TitleWithCommand", "The Search for Spock", "The Search for Spock"},
                             {"WeakCommandAlone", "search for spock", "search for spock"},
                             {"FindNemo", "find nemo cast", "find nemo cast"},
                             {"AlbumOfPlease", "Please Please Me track list", "Please Please Me track list"},
                             {"YesPlease", "Yes, please", "Yes, please"},
                             {"ThanksAsTopic", "thank you notes", "thank you notes"},
                             {"HelloWorld", "hello world in Rust", "hello world in Rust"},
                             {"HiFi", "hi-fi repair Berlin", "hi-fi repair Berlin"},
                             {"GoogleAsTopic", "google stock price", "google stock price"},
                             {"Quoted", "\"could you find\" lyrics", "\"could you find\" lyrics"},
                             {"Operators", "site:example.com filetype:pdf -draft",
                              "site:example.com filetype:pdf -draft"},
                             {"OnlyChat", "can you search for", "can you search for"},
                             {"OnlyPlease", "please", "please"},
                             {"Empty", "", ""},
                             {"OtherLanguage", "Bitte suche nach Zügen", "Bitte suche nach Zügen"},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(ShortenQueryTest, CutsBeforeTheWordThatDoesNotFit) {
  EXPECT_EQ(ShortenQuery("one two three", 13), "one two three");
  EXPECT_EQ(ShortenQuery("one two three", 12), "one two");
  EXPECT_EQ(ShortenQuery("one two three", 7), "one two");
  EXPECT_EQ(ShortenQuery("one two three", 6), "one");
}

TEST(ShortenQueryTest, CutsAWordThatIsTooLongAlone) { EXPECT_EQ(ShortenQuery("Donaudampfschiff", 5), "Donau"); }

TEST(ShortenQueryTest, CountsCharactersAndCutsNone) { EXPECT_EQ(ShortenQuery("žižkovžižkov", 7), "žižkovž"); }

}  // namespace
}  // namespace toolgate::executors::web_search
