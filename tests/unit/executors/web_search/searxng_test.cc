#include "executors/web_search/searxng.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/fibers/wait.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_provider.h"

namespace toolgate::executors::web_search {
namespace {

using providers::ProviderRequest;
using testing::FakeProvider;
using ::testing::HasSubstr;

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

TEST(SearxngTest, SilenceOfItsEnginesIsAFailureThatNamesThem) {
  const auto provider = FakeProvider::Answering(
      R"({"query": "q", "number_of_results": 0, "results": [], "answers": [], "corrections": [], "infoboxes": [],
          "suggestions": [], "unresponsive_engines": [["google", "Suspended: too many requests"],
          ["duckduckgo", "timeout"], ["a", "timeout"], ["b", "timeout"], ["c", "timeout"], ["d", "timeout"],
          ["e", "timeout"]]})");
  const auto error = GetToolError(SearxngSearch(*Searxng(provider), "q").status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kExecutionError);
  EXPECT_TRUE(error->retryable);
  EXPECT_THAT(error->message, HasSubstr("google (Suspended: too many requests), duckduckgo (timeout)"));
  EXPECT_THAT(error->message, HasSubstr("2 more"));
}

TEST(SearxngTest, WhatOthersFoundIsAnsweredWithANote) {
  for (const char* const found :
       {R"("results": [{"title": "A", "url": "https://a.com/"}])", R"("results": [], "answers": ["42"])",
        R"("results": [], "infoboxes": [{"infobox": "Oslo"}])"}) {
    const auto provider = FakeProvider::Answering(
        absl::StrCat("{", found, R"(, "unresponsive_engines": [["google", "CAPTCHA\u202e\n"], "bing", [], 7]})"));
    const absl::StatusOr<Findings> findings = SearxngSearch(*Searxng(provider), "q");
    ASSERT_TRUE(findings.ok()) << findings.status();
    EXPECT_THAT(findings->note, HasSubstr("google (CAPTCHA), bing")) << found;
  }
}

TEST(SearxngTest, NothingFoundByEnginesThatAnsweredIsNoFailure) {
  for (const char* const body : {R"({"results": []})", R"({"results": [], "unresponsive_engines": []})",
                                 R"({"results": [], "unresponsive_engines": null})"}) {
    const absl::StatusOr<Findings> findings = SearxngSearch(*Searxng(FakeProvider::Answering(body)), "q");
    ASSERT_TRUE(findings.ok()) << findings.status();
    EXPECT_EQ(findings->note, "");
  }
}

TEST(SearxngTest, ARefusalNamesTheJsonFormat) {
  const auto provider = FakeProvider::Answering(R"({"results": []})");
  ASSERT_TRUE(SearxngSearch(*Searxng(provider), "q").ok());
  const std::vector<providers::StatusMeaning> meanings = provider->requests()[0].meanings;
  ASSERT_EQ(meanings.size(), 1u);
  EXPECT_EQ(meanings[0].status, 403);
  EXPECT_THAT(std::string(meanings[0].text), HasSubstr("formats: [html, json]"));
}

}  // namespace
}  // namespace toolgate::executors::web_search
