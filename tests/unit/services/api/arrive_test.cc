#include "services/api/arrive.h"

#include "tests/support/test_tools.h"
#include "tests/unit/services/api/api_fixture.h"

namespace toolgate::services::api {
namespace {

using ArriveTest = ApiFixture;

TEST_F(ArriveTest, GivesTheCallIdsAndTimes) {
  clock_.Advance(absl::Seconds(5));
  security::ToolCall call;
  Arrive(runtime_, Inbound(), call);
  EXPECT_EQ(call.arrived, clock_.Now());
  EXPECT_EQ(call.arrived_monotonic, absl::Seconds(5));
  EXPECT_FALSE(call.id.empty());
  EXPECT_FALSE(call.audit_entry_id.empty());
  EXPECT_NE(call.id, call.audit_entry_id);
}

TEST_F(ArriveTest, ACallEndsAtTheClientsDeadline) {
  InboundRpc inbound = Inbound();
  inbound.deadline = clock_.Now() + absl::Seconds(3);
  security::ToolCall call;
  Arrive(runtime_, inbound, call);
  EXPECT_EQ(call.cancellation.Remaining(), absl::Seconds(3));
  clock_.Advance(absl::Seconds(3));
  EXPECT_EQ(testing::CodeOf(call.cancellation.Check()), ErrorCode::kTimeout);
}

TEST_F(ArriveTest, ACallWithoutADeadlineDoesNotTimeOut) {
  security::ToolCall call;
  Arrive(runtime_, Inbound(), call);
  EXPECT_EQ(call.cancellation.Remaining(), absl::InfiniteDuration());
}

TEST_F(ArriveTest, TheClientsTraceGoesOn) {
  InboundRpc inbound = Inbound();
  inbound.trace_parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  inbound.trace_state = "vendor=1";
  security::ToolCall call;
  Arrive(runtime_, inbound, call);
  EXPECT_EQ(call.trace.TraceIdHex(), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(call.trace.trace_state, "vendor=1");
  EXPECT_EQ(call.parent_span_id, 0xb7ad6b7169203331u);
  EXPECT_NE(call.trace.span_id, call.parent_span_id);
}

TEST_F(ArriveTest, AMalformedTraceIsReplacedAndItsStateDropped) {
  InboundRpc inbound = Inbound();
  inbound.trace_parent = "00-nonsense";
  inbound.trace_state = "vendor=1";
  security::ToolCall call;
  Arrive(runtime_, inbound, call);
  EXPECT_TRUE(call.trace.valid());
  EXPECT_EQ(call.trace.trace_state, "");
  EXPECT_EQ(call.parent_span_id, 0u);
}

}  // namespace
}  // namespace toolgate::services::api
