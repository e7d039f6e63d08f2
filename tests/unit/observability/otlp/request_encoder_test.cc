#include "observability/otlp/request_encoder.h"

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/proto_bytes.h"
#include "gtest/gtest.h"
#include "observability/trace_ids.h"
#include "observability/tracing/trace_recording.h"
#include "opentelemetry/proto/collector/trace/v1/trace_service.pb.h"
#include "tests/support/fake_clock.h"

namespace toolgate::observability::otlp {
namespace {

namespace proto = opentelemetry::proto;

using tracing::Attribute;
using tracing::SpanKind;
using tracing::SpanRef;
using tracing::TraceRecording;
using Request = proto::collector::trace::v1::ExportTraceServiceRequest;

class RequestEncoderTest : public ::testing::Test {
 protected:
  // Encodes all spans of the recording, and reads them with the generated classes.
  Request RoundTrip() {
    std::vector<SpanRef> batch;
    for (size_t i = 0; i < recording_.spans().size(); ++i) batch.push_back({&recording_, i});
    Request request;
    const std::string_view bytes = encoder_.Encode(batch);
    EXPECT_TRUE(ParseProto(bytes, request).ok());
    // Nothing is unknown to the classes, and nothing is written in another way than they would.
    EXPECT_EQ(request.ByteSizeLong(), bytes.size());
    return request;
  }

  testing::FakeClock clock_;
  TraceIds ids_{IdSource::Real()};
  TraceRecording recording_{{0x0102030405060708, 0x090a0b0c0d0e0f10, 3, 1, "vendor=1"}, ids_, clock_};
  RequestEncoder encoder_{{{"process.pid", int64_t{7}}, {"service.name", std::string("planner")}}, "1.2.3"};
};

TEST_F(RequestEncoderTest, WritesTheResourceAndTheScope) {
  recording_.Add({.id = 1, .name = "span"});
  const Request request = RoundTrip();
  ASSERT_EQ(request.resource_spans_size(), 1);
  const auto& from = request.resource_spans(0);
  ASSERT_EQ(from.resource().attributes_size(), 2);
  EXPECT_EQ(from.resource().attributes(0).key(), "process.pid");
  EXPECT_EQ(from.resource().attributes(0).value().int_value(), 7);
  EXPECT_EQ(from.resource().attributes(1).key(), "service.name");
  EXPECT_EQ(from.resource().attributes(1).value().string_value(), "planner");
  EXPECT_EQ(from.schema_url(), "https://opentelemetry.io/schemas/1.45.0");
  ASSERT_EQ(from.scope_spans_size(), 1);
  EXPECT_EQ(from.scope_spans(0).scope().name(), "toolgate");
  EXPECT_EQ(from.scope_spans(0).scope().version(), "1.2.3");
  EXPECT_EQ(from.scope_spans(0).schema_url(), from.schema_url());
}

TEST_F(RequestEncoderTest, WritesEveryPartOfASpan) {
  recording_.Add({.id = 0x1112131415161718,
                  .parent_id = 0x2122232425262728,
                  .name = "toolgate.v1.ToolService/Execute",
                  .kind = SpanKind::kServer,
                  .failed = true,
                  .parent_is_remote = true,
                  .start_ns = 5,
                  .end_ns = 1'000'005});
  const Request request = RoundTrip();
  const proto::trace::v1::Span& span = request.resource_spans(0).scope_spans(0).spans(0);
  EXPECT_EQ(span.trace_id(), "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10");
  EXPECT_EQ(span.span_id(), "\x11\x12\x13\x14\x15\x16\x17\x18");
  EXPECT_EQ(span.parent_span_id(), "\x21\x22\x23\x24\x25\x26\x27\x28");
  EXPECT_EQ(span.trace_state(), "vendor=1");
  EXPECT_EQ(span.name(), "toolgate.v1.ToolService/Execute");
  EXPECT_EQ(span.kind(), proto::trace::v1::Span::SPAN_KIND_SERVER);
  EXPECT_EQ(span.start_time_unix_nano(), recording_.UnixNanos(5));
  EXPECT_EQ(span.end_time_unix_nano() - span.start_time_unix_nano(), 1'000'000u);
  EXPECT_EQ(span.status().code(), proto::trace::v1::Status::STATUS_CODE_ERROR);
  EXPECT_EQ(span.flags(), 0x301u);
}

TEST_F(RequestEncoderTest, LeavesOutWhatDoesNotApply) {
  recording_.Add({.id = 1, .name = "root"});
  const Request request = RoundTrip();
  const proto::trace::v1::Span& span = request.resource_spans(0).scope_spans(0).spans(0);
  EXPECT_EQ(span.parent_span_id(), "");
  EXPECT_FALSE(span.has_status());
  EXPECT_EQ(span.kind(), proto::trace::v1::Span::SPAN_KIND_INTERNAL);
  EXPECT_EQ(span.flags(), 0x101u);
}

TEST_F(RequestEncoderTest, WritesEveryTypeOfAttribute) {
  const std::string long_text(300, 'x');
  const Attribute attributes[] = {{"text", std::string_view("grpc")},
                                  {"empty", std::string_view()},
                                  {"long", std::string_view(long_text)},
                                  {"number", int64_t{50051}},
                                  {"negative", int64_t{-1}},
                                  {"least", std::numeric_limits<int64_t>::min()},
                                  {"zero", int64_t{0}},
                                  {"yes", true},
                                  {"no", false},
                                  {"fraction", 0.25}};
  recording_.Add({.id = 1, .name = "span"}, attributes);
  const Request request = RoundTrip();
  std::map<std::string, proto::common::v1::AnyValue> values;
  for (const auto& attribute : request.resource_spans(0).scope_spans(0).spans(0).attributes()) {
    values[attribute.key()] = attribute.value();
  }
  ASSERT_EQ(values.size(), std::size(attributes));
  EXPECT_EQ(values["text"].string_value(), "grpc");
  EXPECT_TRUE(values["empty"].has_string_value());
  EXPECT_EQ(values["long"].string_value(), long_text);
  EXPECT_EQ(values["number"].int_value(), 50051);
  EXPECT_EQ(values["negative"].int_value(), -1);
  EXPECT_EQ(values["least"].int_value(), std::numeric_limits<int64_t>::min());
  EXPECT_TRUE(values["zero"].has_int_value());
  EXPECT_TRUE(values["yes"].bool_value());
  EXPECT_TRUE(values["no"].has_bool_value());
  EXPECT_EQ(values["fraction"].double_value(), 0.25);
}

TEST_F(RequestEncoderTest, EachRequestHoldsItsOwnBatch) {
  for (uint64_t id = 1; id <= 200; ++id) recording_.Add({.id = id, .name = "span"});
  EXPECT_EQ(RoundTrip().resource_spans(0).scope_spans(0).spans_size(), 200);
  const SpanRef last{&recording_, 199};
  Request request;
  ASSERT_TRUE(ParseProto(encoder_.Encode({&last, 1}), request).ok());
  ASSERT_EQ(request.resource_spans(0).scope_spans(0).spans_size(), 1);
  EXPECT_EQ(request.resource_spans(0).scope_spans(0).spans(0).span_id(), std::string("\0\0\0\0\0\0\0\xc8", 8));
}

}  // namespace
}  // namespace toolgate::observability::otlp
