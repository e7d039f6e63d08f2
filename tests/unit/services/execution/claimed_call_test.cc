#include "services/execution/claimed_call.h"

#include "gtest/gtest.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::execution {
namespace {

TEST(ClaimedCallTest, ComesBackAsItWas) {
  const executors::Tool tool = testing::MakeTool("scratch", 0);
  const auto call = testing::MakeCall(tool);
  call->caller.user_name = "Ada";
  call->caller.conversation_id = "chat";
  call->caller.ai_model = "model";
  call->caller.time_zone = "Europe/Berlin";
  call->caller.service = "backend";
  call->caller.is_guest = true;
  call->id = "call-1";
  call->audit_entry_id = "entry-1";
  call->request_id = "turn-1";
  call->idempotency_key = "key-1";
  call->arrived = absl::FromUnixMicros(1'234'567);
  call->SetArguments({{"z", 1}, {"a", {1, 2, "ü"}}});
  call->FreezeArguments();
  const absl::StatusOr<std::string> bytes = ToClaimedCall(*call);
  ASSERT_TRUE(bytes.ok()) << bytes.status();

  security::ToolCall read;
  ASSERT_TRUE(FromClaimedCall(*bytes, tool, read).ok());
  EXPECT_EQ(read.tool, &tool);
  EXPECT_EQ(read.caller.workspace_id, "w1");
  EXPECT_EQ(read.caller.user_id, "ada");
  EXPECT_EQ(read.caller.user_name, "Ada");
  EXPECT_EQ(read.caller.conversation_id, "chat");
  EXPECT_EQ(read.caller.ai_model, "model");
  EXPECT_EQ(read.caller.time_zone, "Europe/Berlin");
  EXPECT_EQ(read.caller.service, "backend");
  EXPECT_TRUE(read.caller.is_guest);
  EXPECT_EQ(read.id, "call-1");
  EXPECT_EQ(read.audit_entry_id, "entry-1");
  EXPECT_EQ(read.request_id, "turn-1");
  EXPECT_EQ(read.idempotency_key, "key-1");
  EXPECT_EQ(read.arrived, call->arrived);
  EXPECT_EQ(DumpJson(read.arguments()), DumpJson(call->arguments()));
  EXPECT_EQ(read.arguments_digest(), call->arguments_digest()) << "a repeat must be known for the same call";
}

TEST(ClaimedCallTest, KeepsThePlaceOfAStepThatSettlesByItself) {
  const executors::Tool tool = testing::MakeTool("scratch", 0);
  const auto call = testing::MakeCall(tool);
  call->step_of = security::StepOf{.call_id = "parent", .claim_id = "whole", .number = 3};
  call->FreezeArguments();
  security::ToolCall read;
  ASSERT_TRUE(FromClaimedCall(ToClaimedCall(*call).value(), tool, read).ok());
  ASSERT_TRUE(read.settles_as_step());
  EXPECT_EQ(read.step_of->call_id, "parent");
  EXPECT_EQ(read.step_of->claim_id, "whole");
  EXPECT_EQ(read.step_of->number, 3);

  const auto alone = testing::MakeCall(tool);
  alone->FreezeArguments();
  security::ToolCall read_alone;
  ASSERT_TRUE(FromClaimedCall(ToClaimedCall(*alone).value(), tool, read_alone).ok());
  EXPECT_FALSE(read_alone.is_step());
}

TEST(ClaimedCallTest, BytesThatAreNoCallAreDataLoss) {
  const executors::Tool tool = testing::MakeTool("scratch", 0);
  security::ToolCall read;
  EXPECT_EQ(FromClaimedCall("\xff\xff\xff", tool, read).code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace toolgate::services::execution
