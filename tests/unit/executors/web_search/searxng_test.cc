#include "executors/web_search/searxng.h"

#include <memory>
#include <string>
#include <utility>

#include "common/fibers/wait.h"
#include "gtest/gtest.h"
#include "tests/support/fake_provider.h"

namespace toolgate::executors::web_search {
namespace {

using providers::ProviderRequest;
using testing::FakeProvider;

absl::StatusOr<Findings> SearxngSearch(const SearchEngine& engine, std::string_view query, int max_results = 5) {
  const auto wait = [](fibers::Event&, absl::Duration) -> absl::StatusOr<bool> { return true; };
  providers::Scope scope{wait, {}};
  return engine.Search(query, max_results, scope);
}

TEST(SearxngTest, AsksAsTheApiWantsIt) {
  const auto provider = FakeProvider::Answering(R"({"results":[]})");
  ASSERT_TRUE(SearxngSearch(*Searxng(provider), "a&b=c žluť+100%").ok());
  const ProviderRequest request = provider->requests()[0];
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/search?q=a%26b%3Dc%20%C5%BElu%C5%A5%2B100%25&format=json");
  EXPECT_TRUE(request.repeatable);
  EXPECT_EQ(request.body, "");
}

TEST(SearxngTest, ReadsTheFirstResultsAndAnswersOfEveryVersion) {
  const std::string results = R"("results": [{"title": "A", "url": "https://a.com/", "content": "1", "engine": "x"},
                                             {"title": "B", "url": "https://b.com/", "content": "2", "engine": "y"}])";
  struct Case {
    std::string answers;
    std::string answer;
  };
  for (const Case& one :
       {Case{R"("answers": ["42"],)", "42"}, Case{R"("answers": [{"answer": "43", "url": null}],)", "43"},
        Case{R"("answers": [],)", ""}, Case{R"("answers": [7],)", ""}, Case{"", ""}}) {
    const auto provider = FakeProvider::Answering("{" + one.answers + results + "}");
    const absl::StatusOr<Findings> found = SearxngSearch(*Searxng(provider), "q", 1);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_EQ(found->hits.size(), 1u);
    EXPECT_EQ(found->hits[0].title, "A");
    EXPECT_EQ(found->answer, one.answer);
  }
}

}  // namespace
}  // namespace toolgate::executors::web_search
