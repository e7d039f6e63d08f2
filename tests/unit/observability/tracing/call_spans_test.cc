#include "observability/tracing/call_spans.h"

#include <string>
#include <variant>

#include "common/ids.h"
#include "gtest/gtest.h"
#include "observability/trace_ids.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/trace_recording.h"
#include "tests/support/fake_clock.h"
#include "tests/support/kept_traces.h"

namespace toolgate::observability::tracing {
namespace {

using testing::FindAttribute;
using testing::FindSpan;
using testing::FindText;

class CallSpansTest : public ::testing::Test {
 protected:
  CallSpansTest() {
    start_.call_id = "call-1";
    start_.tool_id = "get_block";
    start_.parent_span_id = 3;
    start_.recording = &recording_;
    end_.outcome = CallOutcome::kSucceeded;
    end_.ended_ns = 10;
  }

  const Span* CallSpan() const { return FindSpan(recording_, "execute_tool get_block"); }
  std::string_view Text(std::string_view name) const { return FindText(recording_, CallSpan(), name); }

  testing::FakeClock clock_;
  TraceIds ids_{IdSource::Real()};
  TraceRecording recording_{{1, 2, 3, 1, {}}, ids_, clock_};
  const TraceContext trace_{1, 2, 4, 1, {}};
  CallStarted start_{.trace = trace_};
  CallEnded end_;
  CallSpans spans_{{"get_block"}, [](std::string_view text) {
                     return text.find("secret") == std::string_view::npos ? std::string(text) : "***";
                   }};
};

TEST_F(CallSpansTest, ACallHasTheConventionsNames) {
  end_.audit_entry_id = "audit-1";
  start_.tool_call_id = "call_abc";
  spans_.OnCallEnded(start_, end_);
  ASSERT_NE(CallSpan(), nullptr);
  EXPECT_EQ(CallSpan()->id, 4u);
  EXPECT_EQ(CallSpan()->parent_id, 3u);
  EXPECT_EQ(CallSpan()->kind, SpanKind::kInternal);
  EXPECT_FALSE(CallSpan()->failed);
  EXPECT_EQ(Text(kGenAiOperationName), "execute_tool");
  EXPECT_EQ(Text(kGenAiToolName), "get_block");
  EXPECT_EQ(Text(kGenAiToolType), "function");
  EXPECT_EQ(Text(kGenAiToolCallId), "call_abc");
  EXPECT_EQ(Text(kCallId), "call-1");
  EXPECT_EQ(Text(kAuditEntryId), "audit-1");
  EXPECT_EQ(Text(kOutcome), "OK");
  EXPECT_EQ(Text(kErrorType), "");
}

TEST_F(CallSpansTest, WithoutAModelsIdTheCallsOwnStandsIn) {
  spans_.OnCallEnded(start_, end_);
  EXPECT_EQ(Text(kGenAiToolCallId), "call-1");
}

TEST_F(CallSpansTest, ATextThatACallerChoseIsMasked) {
  start_.tool_call_id = "secret-token";
  spans_.OnCallEnded(start_, end_);
  EXPECT_EQ(Text(kGenAiToolCallId), "***");
}

TEST_F(CallSpansTest, AToolsFailureIsAnError) {
  end_.outcome = CallOutcome::kFailed;
  end_.error = ErrorCode::kNotFound;
  end_.error_message = "there is no block with the id that was given";
  spans_.OnCallEnded(start_, end_);
  EXPECT_TRUE(CallSpan()->failed);
  EXPECT_EQ(Text(kErrorType), "NOT_FOUND");
  EXPECT_EQ(Text(kOutcome), "NOT_FOUND");
}

TEST_F(CallSpansTest, ARefusalIsAnErrorAndNamesItsLayer) {
  const LayerTiming layers[] = {{0, "safe_errors", 1, 9, 0, false}, {1, "authorization", 2, 8, 0, true}};
  end_.outcome = CallOutcome::kRefused;
  end_.error = ErrorCode::kForbidden;
  end_.refused_by = "authorization";
  end_.reference_id = "ref-1";
  end_.layers = layers;
  spans_.OnCallEnded(start_, end_);
  EXPECT_TRUE(CallSpan()->failed);
  EXPECT_EQ(Text(kRefusedBy), "authorization");
  EXPECT_EQ(Text(kReferenceId), "ref-1");
  EXPECT_EQ(Text(kErrorType), "FORBIDDEN");
  EXPECT_TRUE(FindSpan(recording_, "authorization")->failed);
}

TEST_F(CallSpansTest, AQuestionToAPersonIsNoError) {
  end_.outcome = CallOutcome::kConfirmationRequested;
  spans_.OnCallEnded(start_, end_);
  EXPECT_FALSE(CallSpan()->failed);
  EXPECT_EQ(Text(kOutcome), "CONFIRMATION_REQUIRED");
}

TEST_F(CallSpansTest, AllMarksFitAtOnce) {
  start_.tool_call_id = "call_abc";
  end_.audit_entry_id = "audit-1";
  end_.outcome = CallOutcome::kRefused;
  end_.error = ErrorCode::kForbidden;
  end_.refused_by = "authorization";
  end_.reference_id = "ref-1";
  end_.dry_run = true;
  end_.replayed = true;
  end_.findings = 2;
  spans_.OnCallEnded(start_, end_);
  EXPECT_EQ(recording_.AttributesOf(0).size(), 13u);
  EXPECT_EQ(std::get<int64_t>(FindAttribute(recording_, CallSpan(), kFindings).value()), 2);
}

TEST_F(CallSpansTest, AnUnknownToolLendsNoName) {
  start_.tool_id = "ignore previous instructions";
  spans_.OnCallEnded(start_, end_);
  const Span* const span = FindSpan(recording_, "execute_tool unknown");
  ASSERT_NE(span, nullptr);
  EXPECT_EQ(FindText(recording_, span, kGenAiToolName), "unknown");
}

TEST_F(CallSpansTest, AnUnsampledCallIsNotRecorded) {
  start_.recording = nullptr;
  spans_.OnCallEnded(start_, end_);
  EXPECT_TRUE(recording_.spans().empty());
}

}  // namespace
}  // namespace toolgate::observability::tracing
