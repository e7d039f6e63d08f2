#include "services/api/arrive.h"

#include "observability/tracing/trace_recording.h"
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

TEST_F(ArriveTest, TheCallsSpanIsBelowThatOfTheRpc) {
  InboundRpc inbound = Inbound();
  inbound.trace = {0x0af7651916cd43dd, 0x8448eb211c80319c, 0xb7ad6b7169203331, 1, "vendor=1"};
  observability::tracing::TraceRecording recording(inbound.trace, trace_ids_, clock_);
  inbound.recording = &recording;
  security::ToolCall call;
  Arrive(runtime_, inbound, call);
  EXPECT_EQ(call.trace.TraceIdHex(), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(call.trace.trace_state, "vendor=1");
  EXPECT_EQ(call.parent_span_id, 0xb7ad6b7169203331u);
  EXPECT_NE(call.trace.span_id, call.parent_span_id);
  EXPECT_EQ(call.recording, &recording);
}

TEST_F(ArriveTest, WithoutASpanOfTheRpcATraceBegins) {
  security::ToolCall call;
  Arrive(runtime_, Inbound(), call);
  EXPECT_TRUE(call.trace.valid());
  EXPECT_EQ(call.parent_span_id, 0u);
  EXPECT_EQ(call.recording, nullptr);
}

}  // namespace
}  // namespace toolgate::services::api
