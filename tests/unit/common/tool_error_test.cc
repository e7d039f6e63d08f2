#include "common/tool_error.h"

#include "gtest/gtest.h"

namespace toolgate {
namespace {

TEST(ToolErrorTest, SurvivesTheJourneyInsideAStatus) {
  ToolError error;
  error.code = ErrorCode::kRateLimited;
  error.message = "too many calls";
  error.retryable = true;
  error.retry_after = absl::Seconds(7);
  error.violations.push_back({"/a", "type", "string", "number"});
  error.facts.emplace_back("limit", "5");
  error.refused_as = absl::StatusCode::kFailedPrecondition;
  error.blame = Blame::kRequest;
  const absl::Status status = ToStatus(error);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  const auto back = GetToolError(status);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->code, ErrorCode::kRateLimited);
  EXPECT_EQ(back->message, "too many calls");
  EXPECT_TRUE(back->retryable);
  EXPECT_EQ(back->retry_after, absl::Seconds(7));
  ASSERT_EQ(back->violations.size(), 1u);
  EXPECT_EQ(back->violations[0].expected, "string");
  EXPECT_EQ(back->facts[0].second, "5");
  EXPECT_EQ(back->refused_as, absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(back->blame, Blame::kRequest);
}

// The same call is as large later. A limit that lasts for a time says itself that it does.
TEST(ToolErrorTest, AQuotaIsNotRetriedByItself) {
  EXPECT_FALSE(GetToolError(MakeError(ErrorCode::kQuotaExceeded, "too large"))->retryable);
  EXPECT_TRUE(GetToolError(MakeError(ErrorCode::kOverloaded, "busy"))->retryable);
}

TEST(ToolErrorTest, AStatusOfAnotherSourceCarriesNone) {
  EXPECT_FALSE(GetToolError(absl::OkStatus()).has_value());
  EXPECT_FALSE(GetToolError(absl::InternalError("disk I/O error")).has_value());
}

TEST(ToolErrorTest, EveryCodeHasANameThatLeadsBack) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kCannotUndo); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(ErrorCodeFromName(ErrorCodeName(code)), code);
  }
  EXPECT_FALSE(ErrorCodeFromName("NO_SUCH_CODE").has_value());
}

}  // namespace
}  // namespace toolgate
