#include "services/app/trace_export.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/config_path.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "observability/otlp/endpoint.h"
#include "services/config/config.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_sink.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_collector.h"

namespace toolgate::services::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TraceExportTest : public ::testing::Test {
 protected:
  // The defaults, with the collector as the receiver.
  static toolgate::config::v1::Config Defaults() {
    return config::Load({.environment = [](std::string_view) { return std::nullopt; }}).value();
  }
  toolgate::config::v1::Config Exporting() const {
    toolgate::config::v1::Config config = Defaults();
    config.mutable_traces()->set_endpoint(absl::StrCat("http://", collector_.target()));
    config.mutable_traces()->mutable_batch()->mutable_delay()->set_seconds(600);
    config.mutable_server()->set_listen("[::1]:50051");
    return config;
  }

  absl::StatusOr<std::unique_ptr<TraceExport>> Create(const toolgate::config::v1::Config& config) {
    return TraceExport::Create(config, {logger_, clock_, IdSource::Real(), metrics_, "1.2.3"});
  }

  static void RunRpc(TraceExport& traces) {
    observability::tracing::RpcTrace trace = traces.tracer().Begin(std::nullopt);
    traces.tracer().End(trace, "toolgate.v1.ToolService/Execute", 0, 0);
  }

  testing::FakeClock clock_;
  testing::MemorySink log_;
  observability::Logger logger_{log_, clock_, observability::LogLevel::kInfo, observability::LogFormat::kJson};
  observability::Metrics metrics_{{}};
  testing::TraceCollector collector_;
};

TEST_F(TraceExportTest, FlushSendsWhatWaits) {
  const auto traces = Create(Exporting()).value();
  RunRpc(*traces);
  EXPECT_EQ(collector_.attempts(), 0u);
  traces->Flush();
  ASSERT_EQ(collector_.attempts(), 1u);
  const auto request = collector_.requests()[0];
  const auto& from = request.resource_spans(0);
  std::string attributes;
  for (const auto& attribute : from.resource().attributes()) {
    absl::StrAppend(&attributes, attribute.key(), "=", attribute.value().string_value(), "\n");
  }
  for (const auto& attribute : from.scope_spans(0).spans(0).attributes()) {
    absl::StrAppend(&attributes, attribute.key(), "=", attribute.value().string_value(), attribute.value().int_value(),
                    "\n");
  }
  EXPECT_THAT(attributes, HasSubstr("service.name=toolgate\n"));
  EXPECT_THAT(attributes, HasSubstr("service.version=1.2.3\n"));
  EXPECT_THAT(attributes, HasSubstr("server.address=::10\n"));
  EXPECT_THAT(attributes, HasSubstr("server.port=50051\n"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("\ntoolgate_spans_exported_total 1\n"));
}

TEST_F(TraceExportTest, WithoutAReceiverNothingIsRecorded) {
  const auto traces = Create(Defaults()).value();
  EXPECT_EQ(traces->tracer().Begin(std::nullopt).recording(), nullptr);
  traces->Flush();
  EXPECT_THAT(log_.text(), Not(HasSubstr("traces are exported")));
}

TEST_F(TraceExportTest, TheLogTellsOfLossesAndOfTheReceiversRemarks) {
  auto config = Exporting();
  collector_.AnswerNext({{::grpc::StatusCode::PERMISSION_DENIED, "no"}});
  auto traces = Create(config).value();
  RunRpc(*traces);
  traces->Flush();
  EXPECT_THAT(log_.text(), HasSubstr("spans were lost"));
  testing::TraceCollector::Response response;
  response.mutable_partial_success()->set_error_message("use another endpoint");
  collector_.SetResponse(response);
  traces = Create(config).value();
  RunRpc(*traces);
  traces->Flush();
  EXPECT_THAT(log_.text(), HasSubstr("use another endpoint"));
}

TEST_F(TraceExportTest, AFileThatCannotBeReadIsNamed) {
  testing::TempDir dir;
  const std::string readable = dir.path() + "/certificate.pem";
  std::ofstream(readable) << "PEM";
  const std::string open_key = dir.path() + "/key.pem";
  std::ofstream(open_key) << "PEM";
  std::filesystem::permissions(open_key, std::filesystem::perms(0644));
  for (const char* const protocol : {observability::otlp::kGrpcProtocol, observability::otlp::kHttpProtocol}) {
    auto config = Exporting();
    auto& traces = *config.mutable_traces();
    traces.set_protocol(protocol);
    traces.set_endpoint("https://collector");
    traces.set_ca_file("/none/ca.pem");
    EXPECT_EQ(ConfigPathOf(Create(config).status()), "traces.ca_file") << protocol;
    traces.clear_ca_file();
    traces.set_client_certificate_file("/none/certificate.pem");
    traces.set_client_key_file("/none/key.pem");
    EXPECT_EQ(ConfigPathOf(Create(config).status()), "traces.client_certificate_file") << protocol;
    traces.set_client_certificate_file(readable);
    EXPECT_EQ(ConfigPathOf(Create(config).status()), "traces.client_key_file") << protocol;
    traces.set_client_key_file(open_key);
    EXPECT_EQ(ConfigPathOf(Create(config).status()), "traces.client_key_file") << protocol << ": others may read it";
  }
}

TEST_F(TraceExportTest, OfTheReceiversUrlOnlyTheOriginIsLogged) {
  for (const char* const rest :
       {"?api-key=hunter2", "/hunter2", "/v1/traces?api-key=hunter2", "#hunter2", "?a=/hunter2"}) {
    auto config = Exporting();
    config.mutable_traces()->set_protocol(observability::otlp::kHttpProtocol);
    config.mutable_traces()->set_endpoint(absl::StrCat("https://collector:4318", rest));
    Create(config).value()->Flush();
  }
  EXPECT_THAT(log_.text(), HasSubstr("\"https://collector:4318\""));
  EXPECT_THAT(log_.text(), Not(HasSubstr("hunter2")));
}

TEST_F(TraceExportTest, HeadersAreNotLogged) {
  auto config = Exporting();
  (*config.mutable_traces()->mutable_headers())["authorization"] = "hunter2";
  Create(config).value()->Flush();
  EXPECT_THAT(log_.text(), HasSubstr("traces are exported"));
  EXPECT_THAT(log_.text(), Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace toolgate::services::app
