#include "observability/tracing/client_span.h"

#include <string>

#include "common/ids.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "observability/trace_ids.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/trace_recording.h"
#include "tests/support/fake_clock.h"
#include "tests/support/kept_traces.h"

namespace toolgate::observability::tracing {
namespace {

using ::testing::ElementsAre;
using testing::FindText;
using ::testing::IsEmpty;
using ::testing::Pair;

class ClientSpanTest : public ::testing::Test {
 protected:
  testing::FakeClock clock_;
  TraceIds ids_{IdSource::Real()};
  const TraceContext call_{1, 2, 4, 1, "vendor=1"};
  TraceRecording recording_{{1, 2, 3, 1, {}}, ids_, clock_};
};

TEST_F(ClientSpanTest, RecordsARequestBelowItsCall) {
  {
    ClientSpan span({&call_, &recording_}, std::string("chat model"));
    span.Set(kHttpRequestMethod, "POST");
    span.Set(kHttpResponseStatusCode, int64_t{503});
    span.Fail("503");
    clock_.Advance(absl::Milliseconds(2));
  }
  ASSERT_EQ(recording_.spans().size(), 1u);
  const Span& span = recording_.spans()[0];
  EXPECT_EQ(span.name, "chat model");
  EXPECT_EQ(span.kind, SpanKind::kClient);
  EXPECT_EQ(span.parent_id, 4u);
  EXPECT_TRUE(span.failed);
  EXPECT_EQ(span.end_ns - span.start_ns, 2'000'000);
  EXPECT_EQ(FindText(recording_, &span, kHttpRequestMethod), "POST");
  EXPECT_EQ(FindText(recording_, &span, kErrorType), "503");
}

TEST_F(ClientSpanTest, TheOtherServiceIsToldOfTheSpan) {
  std::string sent;
  {
    const ClientSpan span({&call_, &recording_}, "POST");
    const auto headers = span.Headers();
    ASSERT_EQ(headers.size(), 2u);
    sent = headers[0].second;
    EXPECT_THAT(headers[1], Pair("tracestate", "vendor=1"));
  }
  TraceContext expected = call_;
  expected.span_id = recording_.spans()[0].id;
  EXPECT_EQ(sent, expected.ToTraceParent());
}

TEST_F(ClientSpanTest, WithoutSamplingTheCallsOwnSpanIsToldOf) {
  const TraceContext unsampled{1, 2, 4, 0, {}};
  ClientSpan span({&unsampled, nullptr}, "POST");
  span.Set(kHttpRequestMethod, "POST");
  EXPECT_THAT(span.Headers(), ElementsAre(Pair("traceparent", unsampled.ToTraceParent())));
}

TEST_F(ClientSpanTest, WorkForNoCallTellsNothing) {
  const ClientSpan span({}, "POST");
  EXPECT_THAT(span.Headers(), IsEmpty());
}

}  // namespace
}  // namespace toolgate::observability::tracing
