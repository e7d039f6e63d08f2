// A service with answers that a test provides.
#ifndef TOOLGATE_TESTS_SUPPORT_FAKE_SERVICE_H_
#define TOOLGATE_TESTS_SUPPORT_FAKE_SERVICE_H_

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/message.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "toolgate/v1/audit_service.grpc.pb.h"
#include "toolgate/v1/data_service.grpc.pb.h"
#include "toolgate/v1/instruction_service.grpc.pb.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::cli {

// Listens on a free port of the loopback interface. Fill in the answers before the command runs and read the requests
// afterwards: nothing here is locked.
class FakeService final {
 public:
  // `credentials`: null is plaintext.
  explicit FakeService(std::shared_ptr<grpc::ServerCredentials> credentials = nullptr);
  ~FakeService();

  const std::string& address() const { return address_; }

  // Returned instead of any other answer, unless OK.
  grpc::Status status;

  // Answers in order; the last is repeated.
  std::deque<v1::ExecuteResponse> execute;
  std::vector<v1::ExecuteStreamResponse> events;
  std::deque<v1::ListToolsResponse> tools;
  v1::UndoResponse undo;
  std::deque<v1::ReadResultResponse> parts;
  std::deque<v1::ListUndoEntriesResponse> undo_entries;
  std::deque<v1::ListConfirmationsResponse> confirmations;
  std::deque<v1::SearchEntriesResponse> audit;
  v1::AuditEntry entry;
  v1::VerifyChainResponse chain;
  std::vector<v1::ExportBlocksResponse> exported;
  std::vector<v1::BackupResponse> backup;
  v1::Instruction instruction;
  v1::UpdateInstructionResponse instruction_update;
  v1::BuildPromptResponse prompt;
  std::map<std::string, grpc::health::v1::HealthCheckResponse::ServingStatus> health;  // By service name.
  int64_t refuse_import_of_row = 0;                                                    // From 1; 0: none.
  grpc::Status import_refusal;

  // Received requests.
  std::vector<v1::ExecuteRequest> execute_requests;
  std::vector<v1::ListToolsRequest> tools_requests;
  std::vector<v1::UndoRequest> undo_requests;
  std::vector<v1::ReadResultRequest> part_requests;
  std::vector<v1::SearchEntriesRequest> audit_requests;
  std::vector<v1::DecideConfirmationRequest> decisions;
  std::vector<v1::ImportBlocksRequest> imports;
  std::vector<v1::ExportBlocksRequest> exports;
  std::vector<v1::UpdateInstructionRequest> instruction_updates;
  v1::Caller instruction_caller;  // Of the latest call of InstructionService.
  std::string authorization;      // Of the latest call.

 private:
  class Tools;
  class Audit;
  class Data;
  class Instructions;
  class Health;

  std::unique_ptr<Tools> tool_service_;
  std::unique_ptr<Audit> audit_service_;
  std::unique_ptr<Data> data_service_;
  std::unique_ptr<Instructions> instruction_service_;
  std::unique_ptr<Health> health_service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

// A status as the service sends it: ErrorInfo with `reason`, and `details`.
grpc::Status RichStatus(grpc::StatusCode code, std::string_view message, std::string_view reason,
                        const std::vector<const google::protobuf::Message*>& details = {},
                        const std::map<std::string, std::string>& metadata = {});

}  // namespace toolgate::cli

#endif  // TOOLGATE_TESTS_SUPPORT_FAKE_SERVICE_H_
