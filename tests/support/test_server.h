// A whole service on a free port of the loopback, and a client of it.
#ifndef TOOLGATE_TESTS_SUPPORT_TEST_SERVER_H_
#define TOOLGATE_TESTS_SUPPORT_TEST_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "common/ids.h"
#include "common/json.h"
#include "executors/family.h"
#include "executors/registration/registration.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "observability/logger.h"
#include "services/app/application.h"
#include "services/config/config.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_sink.h"
#include "tests/support/temp_dir.h"
#include "toolgate/v1/admin_service.grpc.pb.h"
#include "toolgate/v1/audit_service.grpc.pb.h"
#include "toolgate/v1/data_service.grpc.pb.h"
#include "toolgate/v1/instruction_service.grpc.pb.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::testing {

// The single ErrorInfo of a refused call; an empty one, and a failed test, unless there is exactly one.
inline google::rpc::ErrorInfo ErrorInfoOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details())) << status.error_message();
  google::rpc::ErrorInfo info;
  int found = 0;
  for (const auto& detail : details.details()) {
    if (detail.UnpackTo(&info)) ++found;
  }
  EXPECT_EQ(found, 1) << status.error_message();
  EXPECT_EQ(info.domain(), "toolgate.v1");
  return info;
}

class TestServer {
 public:
  // `credentials` are those of channel(); null: plaintext. Borrows `clock`. `more` families are served beside those of
  // the program.
  explicit TestServer(std::function<void(config::v1::Config&)> adjust = nullptr,
                      std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr,
                      const Clock& clock = Clock::Real(), const std::vector<executors::Family>& more = {})
      : clock_(clock),
        families_(executors::registration::BuiltInFamilies()),
        credentials_(credentials != nullptr ? std::move(credentials) : grpc::InsecureChannelCredentials()),
        logger_(sink_, Clock::Real(), observability::LogLevel::kInfo, observability::LogFormat::kJson) {
    families_.insert(families_.end(), more.begin(), more.end());
    config_ = *services::config::Load({.listen = "127.0.0.1:0",
                                       .metrics_listen = "127.0.0.1:0",
                                       .data_dir = dir_.path() + "/data",
                                       .families = &families_});
    if (adjust != nullptr) adjust(config_);
    Start();
  }
  ~TestServer() { Stop(); }

  void Start() {
    auto started = services::app::Application::Start(config_, {logger_, clock_, IdSource::Real(), &families_});
    ASSERT_TRUE(started.ok()) << started.status();
    application_ = *std::move(started);
    channel_ = grpc::CreateChannel(application_->address(), credentials_);
    tools_ = v1::ToolService::NewStub(channel_);
    audit_ = v1::AuditService::NewStub(channel_);
  }
  void Stop() {
    if (application_ == nullptr) return;
    EXPECT_TRUE(application_->Stop().ok());
    application_.reset();
  }

  services::app::Application& application() { return *application_; }
  const config::v1::Config& config() const { return config_; }
  std::string data_dir() const { return config_.storage().data_dir(); }
  std::shared_ptr<grpc::Channel> channel() { return channel_; }
  v1::ToolService::Stub& tools() { return *tools_; }
  v1::AuditService::Stub& audit() { return *audit_; }
  std::string log() const { return sink_.text(); }

  static v1::ExecuteRequest Request(std::string_view tool, std::string_view arguments, std::string_view user = "ann") {
    v1::ExecuteRequest request;
    request.set_tool_id(std::string(tool));
    request.set_arguments_json(std::string(arguments));
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id(std::string(user));
    return request;
  }

  grpc::Status Execute(const v1::ExecuteRequest& request, v1::ExecuteResponse& response) {
    grpc::ClientContext context;
    return tools_->Execute(&context, request, &response);
  }
  // A call that must run and succeed.
  v1::ToolResult Run(const v1::ExecuteRequest& request) {
    v1::ExecuteResponse response;
    const grpc::Status status = Execute(request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_TRUE(response.result().success()) << response.DebugString();
    return response.result();
  }
  Json RunTool(std::string_view tool, std::string_view arguments) {
    const std::string data = Run(Request(tool, arguments)).data_json();
    const auto json = ParseJson(data);
    EXPECT_TRUE(json.ok()) << data;
    return json.ok() ? *json : Json();
  }
  // A call that must be refused, with this reason.
  grpc::Status Refused(const v1::ExecuteRequest& request, std::string_view reason) {
    v1::ExecuteResponse response;
    const grpc::Status status = Execute(request, response);
    EXPECT_FALSE(status.ok()) << response.DebugString();
    if (!status.ok()) {
      EXPECT_EQ(ErrorInfoOf(status).reason(), reason) << status.error_message();
    }
    return status;
  }
  v1::ToolResult Undo(std::string_view entry = "", std::string_view user = "ann", std::string_view key = "") {
    v1::UndoRequest request;
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id(std::string(user));
    request.set_entry_id(std::string(entry));
    request.set_idempotency_key(std::string(key));
    return Undo(request);
  }
  v1::ToolResult Undo(const v1::UndoRequest& request) {
    v1::UndoResponse response;
    grpc::ClientContext context;
    const grpc::Status status = tools_->Undo(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.result();
  }
  std::vector<v1::AuditEntry> Audit(const v1::SearchEntriesRequest& filters = {}) {
    v1::SearchEntriesRequest request = filters;
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id("auditor");
    request.set_page_size(500);
    v1::SearchEntriesResponse response;
    grpc::ClientContext context;
    const grpc::Status status = audit_->SearchEntries(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return {response.entries().begin(), response.entries().end()};
  }
  v1::VerifyChainResponse VerifyChain() {
    v1::VerifyChainRequest request;
    request.mutable_caller()->set_workspace_id("w");
    v1::VerifyChainResponse response;
    grpc::ClientContext context;
    EXPECT_TRUE(audit_->VerifyChain(&context, request, &response).ok());
    return response;
  }

 private:
  const Clock& clock_;
  std::vector<executors::Family> families_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  TempDir dir_;
  MemorySink sink_;
  observability::Logger logger_;
  config::v1::Config config_;
  std::unique_ptr<services::app::Application> application_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::ToolService::Stub> tools_;
  std::unique_ptr<v1::AuditService::Stub> audit_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_TEST_SERVER_H_
