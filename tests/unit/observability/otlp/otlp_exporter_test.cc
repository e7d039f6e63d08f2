#include "observability/otlp/otlp_exporter.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/proto_bytes.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "observability/otlp/grpc_transport.h"
#include "tests/support/trace_collector.h"
#include "tests/unit/observability/otlp/exporter_fixture.h"

namespace toolgate::observability::otlp {
namespace {

using ::grpc::StatusCode;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using testing::TraceCollector;

// Against the collector.
class OtlpExporterTest : public ExporterFixture {
 protected:
  static OtlpExporter Exporter(OtlpExporter::Options options, GrpcTransport::Options transport) {
    transport.version = options.version;
    return {std::move(options), std::make_unique<GrpcTransport>(std::move(transport))};
  }
  OtlpExporter Exporter(OtlpExporter::Options options) {
    return Exporter(std::move(options), {.target = collector_.target()});
  }
  OtlpExporter Exporter() { return Exporter(Options()); }

  TraceCollector collector_;
};

TEST_F(OtlpExporterTest, ABatchArrives) {
  OtlpExporter exporter = Exporter();
  EXPECT_EQ(Export(exporter).value(), 0);
  const std::vector<TraceCollector::Request> requests = collector_.requests();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].resource_spans(0).scope_spans(0).spans(0).name(), "span");
  EXPECT_THAT(waits_, IsEmpty());
  EXPECT_THAT(remarks_, IsEmpty());
  EXPECT_THAT(collector_.metadata(), Contains(Pair("user-agent", HasSubstr("OTel-OTLP-Exporter-toolgate/1.2.3"))));
}

TEST_F(OtlpExporterTest, SendsHeadersAndCompresses) {
  OtlpExporter exporter = Exporter(
      Options(),
      {.target = collector_.target(), .headers = {{"authorization", "Bearer abc"}, {"x-tenant", "a b"}}, .gzip = true});
  ASSERT_TRUE(Export(exporter).ok());
  EXPECT_THAT(collector_.metadata(), Contains(Pair("authorization", "Bearer abc")));
  EXPECT_THAT(collector_.metadata(), Contains(Pair("x-tenant", "a b")));
  EXPECT_THAT(collector_.requests(), SizeIs(1));
}

TEST_F(OtlpExporterTest, RepeatsWhatMayPass) {
  collector_.AnswerNext({{StatusCode::UNAVAILABLE, "restarting"}, {StatusCode::ABORTED, ""}});
  OtlpExporter exporter = Exporter();
  EXPECT_TRUE(Export(exporter).ok());
  EXPECT_EQ(collector_.attempts(), 3u);
  EXPECT_THAT(waits_, SizeIs(2));
}

TEST_F(OtlpExporterTest, FollowsTheReceiversDelay) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(17);
  google::rpc::Status details;
  ASSERT_TRUE(PackProto(info, *details.add_details()).ok());
  collector_.AnswerNext({{StatusCode::RESOURCE_EXHAUSTED, "slow down", SerializeProto(details).value()}});
  OtlpExporter exporter = Exporter();
  EXPECT_TRUE(Export(exporter).ok());
  EXPECT_THAT(waits_, ElementsAre(absl::Seconds(17)));
}

TEST_F(OtlpExporterTest, GivesUpWhatCannotPass) {
  collector_.AnswerNext({{StatusCode::RESOURCE_EXHAUSTED, "too large"}});
  OtlpExporter exporter = Exporter();
  EXPECT_EQ(Export(exporter).status().code(), absl::StatusCode::kResourceExhausted);
  collector_.AnswerNext({{StatusCode::UNAUTHENTICATED, "who?"}});
  EXPECT_EQ(Export(exporter).status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(collector_.attempts(), 2u);
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(OtlpExporterTest, StopsRepeatingWhenTheTimeIsOver) {
  collector_.AnswerNext(std::vector<::grpc::Status>(100, {StatusCode::UNAVAILABLE, "down"}));
  OtlpExporter exporter = Exporter();
  EXPECT_EQ(Export(exporter, absl::Seconds(10)).status().code(), absl::StatusCode::kUnavailable);
  absl::Duration waited;
  for (const absl::Duration wait : waits_) waited += wait;
  EXPECT_LT(waited, absl::Seconds(10));
  EXPECT_GE(waits_.size(), 2u);
  EXPECT_EQ(collector_.attempts(), waits_.size() + 1);
}

TEST_F(OtlpExporterTest, ADelayBeyondTheTimeIsNotWaitedFor) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(3600);
  google::rpc::Status details;
  ASSERT_TRUE(PackProto(info, *details.add_details()).ok());
  collector_.AnswerNext({{StatusCode::UNAVAILABLE, "later", SerializeProto(details).value()}});
  OtlpExporter exporter = Exporter();
  EXPECT_EQ(Export(exporter).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(OtlpExporterTest, TellsOfAPartialSuccessAndDoesNotRepeatIt) {
  TraceCollector::Response response;
  response.mutable_partial_success()->set_rejected_spans(1);
  response.mutable_partial_success()->set_error_message("too old");
  collector_.SetResponse(response);
  OtlpExporter exporter = Exporter();
  EXPECT_EQ(Export(exporter).value(), 1);
  EXPECT_EQ(collector_.attempts(), 1u);
  EXPECT_THAT(remarks_, ElementsAre(Pair(1, "too old")));
}

TEST_F(OtlpExporterTest, AWarningIsNoRefusal) {
  TraceCollector::Response response;
  response.mutable_partial_success()->set_error_message("use another endpoint");
  collector_.SetResponse(response);
  OtlpExporter exporter = Exporter();
  EXPECT_EQ(Export(exporter).value(), 0);
  EXPECT_THAT(remarks_, ElementsAre(Pair(0, "use another endpoint")));
}

TEST_F(OtlpExporterTest, AReceiverThatNeverAnswersCostsTheTimeAndNoMore) {
  collector_.set_silent(true);
  OtlpExporter::Options options = Options();
  options.timeout = absl::Milliseconds(50);
  options.clock = &Clock::Real();
  OtlpExporter exporter = Exporter(std::move(options));
  EXPECT_EQ(Export(exporter).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(OtlpExporterTest, CancelEndsARunningExportAndAllLaterOnes) {
  collector_.set_silent(true);
  OtlpExporter exporter = Exporter();
  std::thread cancel([&] {
    collector_.AwaitAttempts(1);
    exporter.Cancel();
  });
  EXPECT_EQ(Export(exporter).status().code(), absl::StatusCode::kCancelled);
  cancel.join();
  EXPECT_EQ(Export(exporter).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(collector_.attempts(), 1u);
}

TEST_F(OtlpExporterTest, StopRetryingEndsAWait) {
  collector_.AnswerNext({{StatusCode::UNAVAILABLE, "down"}});
  OtlpExporter::Options options = Options();
  options.wait = nullptr;
  OtlpExporter exporter = Exporter(std::move(options));
  std::thread stop([&] {
    collector_.AwaitAttempts(1);
    exporter.StopRetrying();
  });
  EXPECT_EQ(Export(exporter).status().code(), absl::StatusCode::kUnavailable);
  stop.join();
  EXPECT_TRUE(Export(exporter).ok()) << "each batch that is left is still sent once";
}

TEST_F(OtlpExporterTest, WithoutAReceiverTheBatchFails) {
  OtlpExporter exporter = Exporter(Options(), {.target = "127.0.0.1:1"});
  exporter.StopRetrying();
  EXPECT_EQ(Export(exporter).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace toolgate::observability::otlp
