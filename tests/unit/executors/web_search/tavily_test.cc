#include "executors/web_search/tavily.h"

#include <memory>
#include <string>
#include <utility>

#include "common/fibers/wait.h"
#include "common/json.h"
#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "tests/support/fake_provider.h"

namespace toolgate::executors::web_search {
namespace {

using providers::ProviderRequest;
using testing::FakeProvider;
using testing::FakeResponse;

absl::StatusOr<Findings> TavilySearch(const SearchEngine& engine, std::string_view query, int max_results = 5) {
  const auto wait = [](fibers::Event&, absl::Duration) -> absl::StatusOr<bool> { return true; };
  providers::Scope scope{wait, {}};
  return engine.Search(query, max_results, scope);
}

std::string ValueOf(const ProviderRequest& request, std::string_view name) {
  for (const http::Header& header : request.headers) {
    if (header.name == name) return header.value;
  }
  return "";
}

TEST(TavilyTest, AsksAsTheApiWantsIt) {
  const auto provider = FakeProvider::Answering(R"({"results":[]})");
  ASSERT_TRUE(TavilySearch(*Tavily(provider, {.include_answer = true}), "SQLite \"3.53\"", 7).ok());
  ASSERT_EQ(provider->requests().size(), 1u);
  const ProviderRequest request = provider->requests()[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/search");
  EXPECT_EQ(ValueOf(request, "content-type"), "application/json");
  EXPECT_TRUE(request.repeatable);
  EXPECT_EQ(
      ParseJson(request.body).value(),
      (Json{{"query", "SQLite \"3.53\""}, {"max_results", 7}, {"search_depth", "basic"}, {"include_answer", true}}));
}

TEST(TavilyTest, SearchesInDepthOnWishAndForNoMoreThanTheApiGives) {
  const auto provider = FakeProvider::Answering(R"({"results":[]})");
  ASSERT_TRUE(TavilySearch(*Tavily(provider, {.in_depth = true}), "x", 23).ok());
  const Json body = ParseJson(provider->requests()[0].body).value();
  EXPECT_EQ(body["search_depth"], "advanced");
  EXPECT_EQ(body["max_results"], 20);
}

TEST(TavilyTest, ShortensAQueryThatTheApiWouldRefuse) {
  const auto provider = FakeProvider::Answering(R"({"results":[]})");
  ASSERT_TRUE(TavilySearch(*Tavily(provider, {}), std::string(399, 'a') + " bcd").ok());
  EXPECT_EQ(ParseJson(provider->requests()[0].body).value()["query"], std::string(399, 'a'));
}

TEST(TavilyTest, ReadsResultsAndAnswer) {
  const auto provider = FakeProvider::Answering(R"({
    "query": "q", "answer": "It is 42.", "images": [], "response_time": 1.2,
    "results": [{"title": "T", "url": "https://a.com/", "content": "C", "score": 0.9, "raw_content": null}]})");
  const absl::StatusOr<Findings> found = TavilySearch(*Tavily(provider, {}), "q");
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->hits.size(), 1u);
  EXPECT_EQ(found->hits[0].title, "T");
  EXPECT_EQ(found->hits[0].url, "https://a.com/");
  EXPECT_EQ(found->hits[0].snippet, "C");
  EXPECT_EQ(found->answer, "It is 42.");
}

TEST(TavilyTest, PassesOverResultsThatAreNone) {
  const auto provider = FakeProvider::Answering(
      R"({"answer": null, "results": [7, {"title": "no address"}, {"title": 3, "url": "https://a.com/"}]})");
  const absl::StatusOr<Findings> found = TavilySearch(*Tavily(provider, {}), "q");
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->hits.size(), 1u);
  EXPECT_EQ(found->hits[0].title, "");
  EXPECT_EQ(found->answer, "");
}

TEST(TavilyTest, AnswersAnErrorToWhatIsNoListOfResults) {
  for (const char* const body : {"", "<html>", "[]", "{}", R"({"results": {}})", R"({"results": null})"}) {
    const auto error = GetToolError(TavilySearch(*Tavily(FakeProvider::Answering(body), {}), "q").status());
    ASSERT_TRUE(error.has_value()) << body;
    EXPECT_EQ(error->code, ErrorCode::kExecutionError);
    EXPECT_EQ(error->message, "Tavily did not answer with a list of results");
    EXPECT_TRUE(error->retryable);
  }
}

TEST(TavilyTest, AnErrorInAGoodResponseIsAFailure) {
  for (const char* const body : {R"({"error": "quota exceeded"})", R"({"results": [], "error": {"code": 1}})",
                                 R"({"detail": {"error": "limit"}})", R"({"results": [], "errors": ["x"]})"}) {
    const auto error = GetToolError(TavilySearch(*Tavily(FakeProvider::Answering(body), {}), "q").status());
    ASSERT_TRUE(error.has_value()) << body;
    EXPECT_EQ(error->message, "Tavily answered with an error instead of results") << body;
  }
  for (const char* const body : {R"({"results": [], "error": null})", R"({"results": [], "errors": [], "detail": ""})",
                                 R"({"results": [{"url": "https://a.com/"}], "error": "one page failed"})"}) {
    EXPECT_TRUE(TavilySearch(*Tavily(FakeProvider::Answering(body), {}), "q").ok()) << body;
  }
}

TEST(TavilyTest, PassesTheProvidersErrorOn) {
  const auto provider = std::make_shared<FakeProvider>(
      [](const ProviderRequest&) -> absl::StatusOr<FakeResponse> { return MakeError(ErrorCode::kTimeout, "slow"); });
  EXPECT_EQ(GetToolError(TavilySearch(*Tavily(provider, {}), "q").status())->code, ErrorCode::kTimeout);
}

}  // namespace
}  // namespace toolgate::executors::web_search
