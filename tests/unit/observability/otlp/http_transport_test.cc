#include "observability/otlp/http_transport.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/http/client.h"
#include "common/proto_bytes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "observability/otlp/otlp_exporter.h"
#include "opentelemetry/proto/collector/trace/v1/trace_service.pb.h"
#include "tests/support/scripted_http_server.h"
#include "tests/unit/observability/otlp/exporter_fixture.h"

namespace toolgate::observability::otlp {
namespace {

using opentelemetry::proto::collector::trace::v1::ExportTraceServiceRequest;
using opentelemetry::proto::collector::trace::v1::ExportTraceServiceResponse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::ScriptedHttpServer;
using testing::ScriptedReply;
using testing::SeenRequest;
using ::testing::SizeIs;

std::string Unzipped(const std::string& bytes) {
  google::protobuf::io::ArrayInputStream compressed(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::GzipInputStream gzip(&compressed, google::protobuf::io::GzipInputStream::GZIP);
  std::string plain;
  const void* piece = nullptr;
  for (int size = 0; gzip.Next(&piece, &size);) plain.append(static_cast<const char*>(piece), size);
  return plain;
}

class HttpTransportTest : public ExporterFixture {
 protected:
  // Sends to a real server that answers by `replies_` first, and by an empty 200 when there are no more.
  std::unique_ptr<OtlpExporter> Exporter(HttpTransport::Options transport, http::ClientOptions client = {}) {
    if (transport.url.empty()) transport.url = server_.url() + "/v1/traces";
    transport.version = "1.2.3";
    return std::make_unique<OtlpExporter>(
        Options(), std::make_unique<HttpTransport>(http::Client::Create(client).value(), std::move(transport)));
  }
  ScriptedReply Answer() {
    absl::MutexLock lock(&mutex_);
    if (replies_.empty()) return {};
    ScriptedReply reply = std::move(replies_.back());
    replies_.pop_back();
    return reply;
  }
  void AnswerNext(std::vector<ScriptedReply> replies) {
    absl::MutexLock lock(&mutex_);
    replies_.assign(replies.rbegin(), replies.rend());
  }

  absl::Mutex mutex_;
  std::vector<ScriptedReply> replies_ ABSL_GUARDED_BY(mutex_);  // The next one last.
  ScriptedHttpServer server_{[this](const SeenRequest&) { return Answer(); }};
};

TEST_F(HttpTransportTest, ABatchIsOnePost) {
  const auto exporter = Exporter({.headers = {{"authorization", "Bearer abc"}}});
  EXPECT_EQ(Export(*exporter).value(), 0);
  const std::vector<SeenRequest> requests = server_.requests();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].path, "/v1/traces");
  EXPECT_EQ(requests[0].Find("content-type"), "application/x-protobuf");
  EXPECT_EQ(requests[0].Find("authorization"), "Bearer abc");
  EXPECT_EQ(requests[0].Find("user-agent"), "OTel-OTLP-Exporter-toolgate/1.2.3");
  ExportTraceServiceRequest batch;
  ASSERT_TRUE(ParseProto(requests[0].body, batch).ok());
  EXPECT_EQ(batch.resource_spans(0).scope_spans(0).spans(0).name(), "span");
}

TEST_F(HttpTransportTest, CompressesTheBody) {
  const auto exporter = Exporter({.gzip = true});
  ASSERT_TRUE(Export(*exporter).ok());
  const std::vector<SeenRequest> requests = server_.requests();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].Find("content-encoding"), "gzip");
  ExportTraceServiceRequest batch;
  ASSERT_TRUE(ParseProto(Unzipped(requests[0].body), batch).ok());
  EXPECT_EQ(batch.resource_spans_size(), 1);
}

TEST_F(HttpTransportTest, RepeatsWhatTheSpecificationLists) {
  AnswerNext({{.status = 429, .headers = {{"retry-after", "7"}}},
              {.status = 503},
              {.hang_up = true},
              {.status = 502},
              {.status = 504}});
  const auto exporter = Exporter({});
  EXPECT_TRUE(Export(*exporter).ok());
  ASSERT_THAT(waits_, SizeIs(5));
  EXPECT_EQ(waits_[0], absl::Seconds(7)) << "the receiver's wait counts instead of the back-off";
}

TEST_F(HttpTransportTest, GivesUpWhatCannotPass) {
  const auto exporter = Exporter({});
  for (const int status : {301, 400, 401, 404, 413, 500, 501}) {
    AnswerNext({{.status = status, .body = "who?"}});
    EXPECT_EQ(Export(*exporter).status().code(), absl::StatusCode::kFailedPrecondition) << status;
  }
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(HttpTransportTest, TellsOfAPartialSuccess) {
  ExportTraceServiceResponse response;
  response.mutable_partial_success()->set_rejected_spans(1);
  response.mutable_partial_success()->set_error_message("too old");
  AnswerNext({{.body = SerializeProto(response).value()}});
  const auto exporter = Exporter({});
  EXPECT_EQ(Export(*exporter).value(), 1);
  EXPECT_THAT(remarks_, ElementsAre(Pair(1, "too old")));
}

TEST_F(HttpTransportTest, AnAnswerThatIsNoProtobufSaysThatTheBatchWasTaken) {
  AnswerNext({{.body = "<html>thanks</html>"}});
  const auto exporter = Exporter({});
  EXPECT_EQ(Export(*exporter).value(), 0);
}

TEST_F(HttpTransportTest, CancelEndsARunningExportAndAllLaterOnes) {
  AnswerNext({{.never_answer = true}});
  const auto exporter = Exporter({});
  std::thread cancel([&] {
    EXPECT_TRUE(server_.AwaitRequests(1));
    exporter->Cancel();
  });
  EXPECT_EQ(Export(*exporter).status().code(), absl::StatusCode::kCancelled);
  cancel.join();
  EXPECT_EQ(Export(*exporter).status().code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(server_.requests(), SizeIs(1));
}

TEST_F(HttpTransportTest, WithoutAReceiverTheBatchFails) {
  const auto exporter = Exporter({.url = "http://127.0.0.1:1/v1/traces"});
  exporter->StopRetrying();
  EXPECT_EQ(Export(*exporter).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace toolgate::observability::otlp
