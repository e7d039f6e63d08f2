#include "executors/web_search/web_search.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "tests/support/bare_session.h"
#include "tests/support/fake_chat_model.h"
#include "tests/support/store_fixture.h"

namespace toolgate::executors::web_search {
namespace {

using testing::FakeChatModel;

// Finds what the test says.
class FakeEngine final : public SearchEngine {
 public:
  struct Log {
    std::vector<std::string> queries;
    int max_results = 0;
  };

  FakeEngine(absl::StatusOr<Findings> findings, Log& log) : findings_(std::move(findings)), log_(log) {}

  absl::StatusOr<Findings> Search(std::string_view query, int max_results, providers::Scope& scope) const override {
    log_.queries.emplace_back(query);
    log_.max_results = max_results;
    *scope.retries += 2;
    return findings_;
  }

 private:
  const absl::StatusOr<Findings> findings_;
  Log& log_;
};

class WebSearchTest : public testing::StoreFixture {
 protected:
  void Make(absl::StatusOr<Findings> findings, std::shared_ptr<models::ChatModel> model = nullptr) {
    search_ = std::make_unique<WebSearch>(
        std::make_unique<FakeEngine>(std::move(findings), log_),
        model == nullptr ? nullptr : std::make_unique<QueryRewriter>(std::move(model)),
        SourceLimits{.max_sources = 5, .max_snippet_bytes = 1000, .max_context_bytes = 20'000});
  }
  absl::StatusOr<ToolOutput> Run(const Json& arguments) {
    const Caller caller{.workspace_id = "w", .user_id = "u"};
    const fibers::Cancellation cancellation;
    testing::BareSession session(*store_, "w", "key");
    ToolContext context{arguments, caller, clock_.Now(), absl::UTCTimeZone(), cancellation, IdSource::Real()};
    absl::StatusOr<Acted> acted = search_->Run(context, session);
    if (!acted.ok()) return acted.status();
    EXPECT_EQ(acted->settle, nullptr);
    return std::move(acted->output);
  }
  Json Answer(const Json& arguments) {
    const absl::StatusOr<ToolOutput> output = Run(arguments);
    EXPECT_TRUE(output.ok()) << output.status();
    return output.ok() ? ParseJson(output->data_json).value() : Json();
  }

  static Findings Oslo() { return {{{"Oslo", "https://oslo.no/", "A city."}, {"Bad", "file:///x", ""}}, "A capital."}; }

  FakeEngine::Log log_;
  std::unique_ptr<WebSearch> search_;
};

TEST_F(WebSearchTest, AnswersSourcesAndTheirContext) {
  Make(Oslo());
  EXPECT_EQ(Answer({{"query", "Oslo"}}),
            (Json{{"query", "Oslo"},
                  {"context", "Answer: A capital.\n\n[1] Oslo\nhttps://oslo.no/\nA city.\n"},
                  {"sources", {{{"title", "Oslo"}, {"url", "https://oslo.no/"}, {"snippet", "A city."}}}},
                  {"answer", "A capital."}}));
  EXPECT_EQ(log_.queries, std::vector<std::string>{"Oslo"});
}

TEST_F(WebSearchTest, MarksItsAnswerAsTextFromOutside) {
  Make(Oslo());
  const ToolOutput output = Run({{"query", "Oslo"}}).value();
  EXPECT_TRUE(output.untrusted);
  EXPECT_EQ(output.retry_count, 2);
}

TEST_F(WebSearchTest, SearchesForTheTidiedQueryAndSaysSo) {
  Make(Findings());
  const Json answer = Answer({{"query", "Please search the web for Oslo"}});
  EXPECT_EQ(answer["rewrittenQuery"], "Oslo");
  EXPECT_EQ(answer["query"], "Please search the web for Oslo");
  EXPECT_EQ(answer["sources"], Json::array());
  EXPECT_EQ(log_.queries, std::vector<std::string>{"Oslo"});
}

TEST_F(WebSearchTest, SearchesForWhatTheModelMakesOfTheQuery) {
  const auto model = FakeChatModel::Saying("Oslo inhabitants 2026");
  Make(Oslo(), model);
  EXPECT_EQ(Answer({{"query", "look up how many people live in Oslo"}})["rewrittenQuery"], "Oslo inhabitants 2026");
  EXPECT_EQ(model->requests()[0].messages[0].text, "how many people live in Oslo");
  EXPECT_EQ(search_->usage().rewrites(), (std::vector<double>{1, 1, 0}));
}

TEST_F(WebSearchTest, SearchesForTheQueryItselfWhenTheModelFails) {
  Make(Oslo(), FakeChatModel::Saying("Sure!\nHere it is."));
  const Json answer = Answer({{"query", "Oslo"}});
  EXPECT_FALSE(answer.contains("rewrittenQuery"));
  EXPECT_EQ(log_.queries, std::vector<std::string>{"Oslo"});
  EXPECT_EQ(search_->usage().rewrites(), (std::vector<double>{0, 0, 1}));
}

TEST_F(WebSearchTest, AnswersAsManySourcesAsTheCallWants) {
  Findings many;
  for (int i = 0; i < 12; ++i) many.hits.push_back({"T", "https://example.com/" + std::to_string(i), ""});
  Make(many);
  EXPECT_EQ(Answer({{"query", "x"}})["sources"].size(), 5u);
  EXPECT_EQ(Answer({{"query", "x"}, {"maxResults", 9}})["sources"].size(), 9u);
  EXPECT_EQ(log_.max_results, 12);
}

TEST_F(WebSearchTest, PassesTheEnginesErrorOn) {
  Make(MakeError(ErrorCode::kTimeout, "slow"));
  EXPECT_EQ(GetToolError(Run({{"query", "x"}}).status())->code, ErrorCode::kTimeout);
  EXPECT_EQ(search_->usage().outcomes(), (std::vector<double>{0, 0, 1}));
}

TEST_F(WebSearchTest, CountsSearchesAndSources) {
  Make(Oslo());
  Answer({{"query", "Oslo"}});
  EXPECT_EQ(search_->usage().outcomes(), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(search_->usage().sources(), (std::vector<double>{1, 1, 0}));
  Make(Findings());
  Answer({{"query", "Oslo"}});
  EXPECT_EQ(search_->usage().outcomes(), (std::vector<double>{0, 1, 0}));
}

}  // namespace
}  // namespace toolgate::executors::web_search
