#include "observability/tracing/tracer.h"

#include <variant>

#include "common/ids.h"
#include "gtest/gtest.h"
#include "observability/tracing/attribute_names.h"
#include "tests/support/fake_clock.h"
#include "tests/support/kept_traces.h"

namespace toolgate::observability::tracing {
namespace {

using testing::FindAttribute;
using testing::FindText;

constexpr std::string_view kMethod = "toolgate.v1.ToolService/Execute";
constexpr std::string_view kTraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr std::string_view kUnsampledParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

class TracerTest : public ::testing::Test {
 protected:
  Tracer Make(std::string_view sampler) {
    return {ids_, clock_, Tracer::Options{*Sampler::Create(sampler, 1), sink_, "127.0.0.1", 50051}};
  }

  testing::FakeClock clock_;
  TraceIds ids_{IdSource::Real()};
  testing::KeptTraces sink_;
};

TEST_F(TracerTest, ASampledRpcBecomesAServerSpan) {
  Tracer tracer = Make("parentbased_always_on");
  RpcTrace trace = tracer.Begin(ParentOf(kTraceParent, "vendor=1"));
  ASSERT_NE(trace.recording(), nullptr);
  EXPECT_TRUE(trace.server_span().sampled());
  clock_.Advance(absl::Milliseconds(3));
  tracer.End(trace, kMethod, 0, 0);
  ASSERT_EQ(sink_.all.size(), 1u);
  const TraceRecording& recording = *sink_.all[0];
  EXPECT_EQ(recording.server().TraceIdHex(), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(recording.server().trace_state, "vendor=1");
  ASSERT_EQ(recording.spans().size(), 1u);
  const Span& span = recording.spans()[0];
  EXPECT_EQ(span.id, recording.server().span_id);
  EXPECT_EQ(span.parent_id, 0xb7ad6b7169203331u);
  EXPECT_TRUE(span.parent_is_remote);
  EXPECT_EQ(span.name, kMethod);
  EXPECT_EQ(span.kind, SpanKind::kServer);
  EXPECT_FALSE(span.failed);
  EXPECT_EQ(span.end_ns - span.start_ns, 3'000'000);
  EXPECT_EQ(FindText(recording, &span, kRpcSystemName), "grpc");
  EXPECT_EQ(FindText(recording, &span, kRpcMethod), kMethod);
  EXPECT_EQ(FindText(recording, &span, kRpcStatusCode), "OK");
  EXPECT_EQ(FindText(recording, &span, kServerAddress), "127.0.0.1");
  EXPECT_EQ(std::get<int64_t>(FindAttribute(recording, &span, kServerPort).value()), 50051);
}

TEST_F(TracerTest, OnlyAServersFaultIsAnErrorOfItsSpan) {
  Tracer tracer = Make("always_on");
  // As the conventions for gRPC servers list them.
  const struct {
    int code;
    std::string_view name;
    bool failed;
  } rows[] = {{0, "OK", false},
              {1, "CANCELLED", false},
              {2, "UNKNOWN", true},
              {3, "INVALID_ARGUMENT", false},
              {4, "DEADLINE_EXCEEDED", true},
              {5, "NOT_FOUND", false},
              {7, "PERMISSION_DENIED", false},
              {8, "RESOURCE_EXHAUSTED", false},
              {12, "UNIMPLEMENTED", true},
              {13, "INTERNAL", true},
              {14, "UNAVAILABLE", true},
              {15, "DATA_LOSS", true},
              {16, "UNAUTHENTICATED", false}};
  for (const auto& row : rows) {
    RpcTrace trace = tracer.Begin(std::nullopt);
    tracer.End(trace, kMethod, row.code, 0);
    const TraceRecording& recording = *sink_.all.back();
    const Span& span = recording.spans()[0];
    EXPECT_EQ(span.failed, row.failed) << row.name;
    EXPECT_EQ(FindText(recording, &span, kRpcStatusCode), row.name);
    EXPECT_EQ(FindText(recording, &span, kErrorType), row.failed ? row.name : "");
    EXPECT_EQ(span.parent_id, 0u);
    EXPECT_FALSE(span.parent_is_remote);
  }
}

TEST_F(TracerTest, ASampledRequestOverHttpBecomesAServerSpan) {
  Tracer tracer = Make("parentbased_always_on");
  RpcTrace trace = tracer.Begin(ParentOf(kTraceParent, "vendor=1"));
  clock_.Advance(absl::Milliseconds(3));
  tracer.EndHttp(trace, {"POST /v1/tools/{tool_id}:execute", "POST", "/v1/tools/{tool_id}:execute", "https", 404}, 0);
  ASSERT_EQ(sink_.all.size(), 1u);
  const TraceRecording& recording = *sink_.all[0];
  ASSERT_EQ(recording.spans().size(), 1u);
  const Span& span = recording.spans()[0];
  EXPECT_EQ(span.name, "POST /v1/tools/{tool_id}:execute");
  EXPECT_EQ(span.kind, SpanKind::kServer);
  EXPECT_EQ(span.parent_id, 0xb7ad6b7169203331u);
  EXPECT_TRUE(span.parent_is_remote);
  EXPECT_FALSE(span.failed);
  EXPECT_EQ(span.end_ns - span.start_ns, 3'000'000);
  EXPECT_EQ(FindText(recording, &span, kHttpRequestMethod), "POST");
  EXPECT_EQ(FindText(recording, &span, kUrlScheme), "https");
  EXPECT_EQ(FindText(recording, &span, kUrlPath), "/v1/tools/{tool_id}:execute");
  EXPECT_EQ(FindText(recording, &span, kHttpRoute), "/v1/tools/{tool_id}:execute");
  EXPECT_EQ(std::get<int64_t>(FindAttribute(recording, &span, kHttpResponseStatusCode).value()), 404);
  EXPECT_FALSE(FindAttribute(recording, &span, kErrorType).has_value());
}

TEST_F(TracerTest, OnlyAStatusOfTheServersFaultIsAnErrorOfTheSpanOverHttp) {
  Tracer tracer = Make("always_on");
  const struct {
    int status;
    std::string_view error;
  } rows[] = {{200, ""}, {404, ""}, {429, ""}, {499, ""}, {500, "500"}, {501, "501"}, {503, "503"}, {504, "504"}};
  for (const auto& row : rows) {
    RpcTrace trace = tracer.Begin(std::nullopt);
    tracer.EndHttp(trace, {"GET /v1/tools", "GET", "/v1/tools", "http", row.status}, 0);
    const TraceRecording& recording = *sink_.all.back();
    const Span& span = recording.spans()[0];
    EXPECT_EQ(span.failed, !row.error.empty()) << row.status;
    EXPECT_EQ(FindText(recording, &span, kErrorType), row.error) << row.status;
  }
}

TEST_F(TracerTest, AnUnsampledRpcRecordsNothingAndTellsOthersSo) {
  Tracer tracer = Make("parentbased_always_on");
  RpcTrace trace = tracer.Begin(ParentOf(kUnsampledParent, ""));
  EXPECT_EQ(trace.recording(), nullptr);
  EXPECT_TRUE(trace.server_span().valid());
  EXPECT_FALSE(trace.server_span().sampled());
  tracer.End(trace, kMethod, 0, 0);
  EXPECT_TRUE(sink_.all.empty());
  EXPECT_FALSE(Make("always_off").Begin(ParentOf(kTraceParent, "")).server_span().sampled());
}

TEST_F(TracerTest, WithoutAnExportTheContextIsPassedOnAsItCame) {
  Tracer tracer(ids_, clock_, std::nullopt);
  const RpcTrace trace = tracer.Begin(ParentOf(kTraceParent, ""));
  EXPECT_EQ(trace.recording(), nullptr);
  EXPECT_EQ(trace.server_span().TraceIdHex(), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_TRUE(trace.server_span().sampled());
  EXPECT_FALSE(tracer.Begin(std::nullopt).server_span().sampled());
}

TEST_F(TracerTest, MalformedHeadersStartATrace) {
  EXPECT_FALSE(ParentOf("", "vendor=1").has_value());
  EXPECT_FALSE(ParentOf("00-nonsense", "vendor=1").has_value());
  EXPECT_EQ(ParentOf(kTraceParent, "not a state")->trace_state, "");
}

}  // namespace
}  // namespace toolgate::observability::tracing
