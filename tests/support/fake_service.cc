#include "tests/support/fake_service.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <utility>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace toolgate::cli {
namespace {

template <typename Response>
void TakeNext(std::deque<Response>& answers, Response* response) {
  if (answers.empty()) return;
  *response = answers.front();
  if (answers.size() > 1) answers.pop_front();
}

std::string AuthorizationOf(const grpc::ServerContext& context) {
  const auto found = context.client_metadata().find("authorization");
  return found == context.client_metadata().end() ? "" : std::string(found->second.data(), found->second.size());
}

}  // namespace

class FakeService::Tools final : public v1::ToolService::Service {
 public:
  explicit Tools(FakeService& fake) : fake_(fake) {}

  grpc::Status Execute(grpc::ServerContext* context, const v1::ExecuteRequest* request,
                       v1::ExecuteResponse* response) override {
    fake_.authorization = AuthorizationOf(*context);
    fake_.execute_requests.push_back(*request);
    TakeNext(fake_.execute, response);
    return fake_.status;
  }
  grpc::Status ExecuteStream(grpc::ServerContext*, const v1::ExecuteStreamRequest* request,
                             grpc::ServerWriter<v1::ExecuteStreamResponse>* writer) override {
    fake_.execute_requests.push_back(request->request());
    for (const auto& event : fake_.events) writer->Write(event);
    return fake_.status;
  }
  grpc::Status ListTools(grpc::ServerContext*, const v1::ListToolsRequest* request,
                         v1::ListToolsResponse* response) override {
    fake_.tools_requests.push_back(*request);
    TakeNext(fake_.tools, response);
    return fake_.status;
  }
  grpc::Status Undo(grpc::ServerContext*, const v1::UndoRequest* request, v1::UndoResponse* response) override {
    fake_.undo_requests.push_back(*request);
    *response = fake_.undo;
    return fake_.status;
  }
  grpc::Status ReadResult(grpc::ServerContext*, const v1::ReadResultRequest* request,
                          v1::ReadResultResponse* response) override {
    fake_.part_requests.push_back(*request);
    TakeNext(fake_.parts, response);
    return fake_.status;
  }
  grpc::Status ListUndoEntries(grpc::ServerContext*, const v1::ListUndoEntriesRequest*,
                               v1::ListUndoEntriesResponse* response) override {
    TakeNext(fake_.undo_entries, response);
    return fake_.status;
  }
  grpc::Status ListConfirmations(grpc::ServerContext*, const v1::ListConfirmationsRequest*,
                                 v1::ListConfirmationsResponse* response) override {
    TakeNext(fake_.confirmations, response);
    return fake_.status;
  }
  grpc::Status DecideConfirmation(grpc::ServerContext*, const v1::DecideConfirmationRequest* request,
                                  v1::DecideConfirmationResponse* response) override {
    fake_.decisions.push_back(*request);
    response->set_state(request->approve() ? "approved" : "denied");
    return fake_.status;
  }

 private:
  FakeService& fake_;
};

class FakeService::Audit final : public v1::AuditService::Service {
 public:
  explicit Audit(FakeService& fake) : fake_(fake) {}

  grpc::Status SearchEntries(grpc::ServerContext*, const v1::SearchEntriesRequest* request,
                             v1::SearchEntriesResponse* response) override {
    fake_.audit_requests.push_back(*request);
    TakeNext(fake_.audit, response);
    return fake_.status;
  }
  grpc::Status GetEntry(grpc::ServerContext*, const v1::GetEntryRequest*, v1::GetEntryResponse* response) override {
    *response->mutable_entry() = fake_.entry;
    return fake_.status;
  }
  grpc::Status VerifyChain(grpc::ServerContext*, const v1::VerifyChainRequest*,
                           v1::VerifyChainResponse* response) override {
    *response = fake_.chain;
    return fake_.status;
  }

 private:
  FakeService& fake_;
};

class FakeService::Data final : public v1::DataService::Service {
 public:
  explicit Data(FakeService& fake) : fake_(fake) {}

  grpc::Status ImportBlocks(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::ImportBlocksResponse, v1::ImportBlocksRequest>* stream) override {
    if (!fake_.status.ok()) return fake_.status;
    v1::ImportBlocksRequest request;
    v1::ImportBlocksResponse response;
    int64_t rows = 0;
    while (stream->Read(&request)) {
      rows += request.blocks_size();
      if (fake_.refuse_import_of_row > 0 && fake_.refuse_import_of_row <= rows) return fake_.import_refusal;
      fake_.imports.push_back(request);
      for (const auto& row : request.blocks())
        response.set_imported(response.imported() + (row.type().empty() ? 0 : 1));
      stream->Write(response);
    }
    return grpc::Status::OK;
  }
  grpc::Status ExportBlocks(grpc::ServerContext*, const v1::ExportBlocksRequest* request,
                            grpc::ServerWriter<v1::ExportBlocksResponse>* writer) override {
    fake_.exports.push_back(*request);
    for (const auto& response : fake_.exported) writer->Write(response);
    return fake_.status;
  }
  grpc::Status Backup(grpc::ServerContext*, const v1::BackupRequest*,
                      grpc::ServerWriter<v1::BackupResponse>* writer) override {
    for (const auto& response : fake_.backup) writer->Write(response);
    return fake_.status;
  }

 private:
  FakeService& fake_;
};

class FakeService::Instructions final : public v1::InstructionService::Service {
 public:
  explicit Instructions(FakeService& fake) : fake_(fake) {}

  grpc::Status GetInstruction(grpc::ServerContext*, const v1::GetInstructionRequest* request,
                              v1::GetInstructionResponse* response) override {
    fake_.instruction_caller = request->caller();
    *response->mutable_instruction() = fake_.instruction;
    return fake_.status;
  }
  grpc::Status UpdateInstruction(grpc::ServerContext*, const v1::UpdateInstructionRequest* request,
                                 v1::UpdateInstructionResponse* response) override {
    fake_.instruction_caller = request->caller();
    fake_.instruction_updates.push_back(*request);
    *response = fake_.instruction_update;
    return fake_.status;
  }
  grpc::Status BuildPrompt(grpc::ServerContext*, const v1::BuildPromptRequest* request,
                           v1::BuildPromptResponse* response) override {
    fake_.instruction_caller = request->caller();
    *response = fake_.prompt;
    return fake_.status;
  }

 private:
  FakeService& fake_;
};

class FakeService::Health final : public grpc::health::v1::Health::Service {
 public:
  explicit Health(FakeService& fake) : fake_(fake) {}

  grpc::Status Check(grpc::ServerContext*, const grpc::health::v1::HealthCheckRequest* request,
                     grpc::health::v1::HealthCheckResponse* response) override {
    response->set_status(fake_.health[request->service()]);
    return fake_.status;
  }

 private:
  FakeService& fake_;
};

FakeService::FakeService(std::shared_ptr<grpc::ServerCredentials> credentials)
    : tool_service_(std::make_unique<Tools>(*this)),
      audit_service_(std::make_unique<Audit>(*this)),
      data_service_(std::make_unique<Data>(*this)),
      instruction_service_(std::make_unique<Instructions>(*this)),
      health_service_(std::make_unique<Health>(*this)) {
  grpc::ServerBuilder builder;
  int port = 0;
  if (credentials == nullptr) credentials = grpc::InsecureServerCredentials();
  builder.AddListeningPort("127.0.0.1:0", std::move(credentials), &port);
  builder.RegisterService(tool_service_.get());
  builder.RegisterService(audit_service_.get());
  builder.RegisterService(data_service_.get());
  builder.RegisterService(instruction_service_.get());
  builder.RegisterService(health_service_.get());
  server_ = builder.BuildAndStart();
  address_ = "127.0.0.1:" + std::to_string(port);
}

FakeService::~FakeService() {
  server_->Shutdown();
  server_->Wait();
}

grpc::Status RichStatus(grpc::StatusCode code, std::string_view message, std::string_view reason,
                        const std::vector<const google::protobuf::Message*>& details,
                        const std::map<std::string, std::string>& metadata) {
  google::rpc::Status rich;
  rich.set_code(code);
  rich.set_message(std::string(message));
  google::rpc::ErrorInfo info;
  info.set_reason(std::string(reason));
  info.set_domain("toolgate.v1");
  info.mutable_metadata()->insert(metadata.begin(), metadata.end());
  rich.add_details()->PackFrom(info);
  for (const google::protobuf::Message* detail : details) rich.add_details()->PackFrom(*detail);
  return grpc::Status(code, std::string(message), rich.SerializeAsString());
}

}  // namespace toolgate::cli
