#include "executors/web_search/query_rewriter.h"

#include <memory>
#include <string>
#include <utility>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_chat_model.h"

namespace toolgate::executors::web_search {
namespace {

using testing::FakeChatModel;
using ::testing::HasSubstr;

absl::StatusOr<std::string> Rewrite(const std::shared_ptr<FakeChatModel>& model, std::string_view query) {
  const auto wait = [](fibers::Event&, absl::Duration) -> absl::StatusOr<bool> { return true; };
  providers::Scope scope{wait, {}};
  return QueryRewriter(model).Rewrite(query, absl::CivilDay(2026, 11, 26), scope);
}

TEST(QueryRewriterTest, GivesTheModelTheQueryAsDataAndTheDay) {
  const auto model = FakeChatModel::Saying("ski resorts Tyrol December 2026");
  EXPECT_EQ(Rewrite(model, "where can I ski in Tyrol next month").value(), "ski resorts Tyrol December 2026");
  ASSERT_EQ(model->requests().size(), 1u);
  const models::ModelRequest request = model->requests()[0];
  EXPECT_THAT(request.system, HasSubstr("Today is 2026-11-26."));
  ASSERT_EQ(request.messages.size(), 1u);
  EXPECT_EQ(request.messages[0].text, "where can I ski in Tyrol next month");
  EXPECT_EQ(request.tools_json, "");
}

TEST(QueryRewriterTest, TakesQuotesAndBlanksOff) {
  EXPECT_EQ(Rewrite(FakeChatModel::Saying("  \"ferry Oslo Kiel\"\n"), "q").value(), "ferry Oslo Kiel");
  EXPECT_EQ(Rewrite(FakeChatModel::Saying("\"to be\" \"or not\""), "q").value(), "\"to be\" \"or not\"");
}

TEST(QueryRewriterTest, RefusesWhatIsNoSingleQuery) {
  for (const std::string& answer : {std::string(), std::string(" \n "), std::string("\u200B"),
                                    std::string("Here is the query:\nferry Oslo Kiel"), std::string(401, 'a')}) {
    const auto error = GetToolError(Rewrite(FakeChatModel::Saying(answer), "q").status());
    ASSERT_TRUE(error.has_value()) << answer;
    EXPECT_EQ(error->code, ErrorCode::kExecutionError) << answer;
  }
}

TEST(QueryRewriterTest, PassesTheModelsErrorOn) {
  const auto model =
      std::make_shared<FakeChatModel>([](const models::ModelRequest&) -> absl::StatusOr<models::ModelAnswer> {
        return MakeError(ErrorCode::kTimeout, "slow");
      });
  EXPECT_EQ(GetToolError(Rewrite(model, "q").status())->code, ErrorCode::kTimeout);
}

}  // namespace
}  // namespace toolgate::executors::web_search
