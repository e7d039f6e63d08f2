// toolgate.v1.AuditService on the wire.
#ifndef TOOLGATE_SERVICES_RPC_AUDIT_SERVICE_H_
#define TOOLGATE_SERVICES_RPC_AUDIT_SERVICE_H_

#include "services/pipeline/audit_queue.h"
#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/audit_service.grpc.pb.h"

namespace toolgate::services::rpc {

// Every answer includes what was audited before the question came: waiting entries are flushed first. Thread-safe.
class AuditService final : public v1::AuditService::CallbackService {
 public:
  // Borrows both.
  AuditService(RpcRuntime& runtime, pipeline::AuditQueue& queue) : runtime_(runtime), queue_(queue) {}

  grpc::ServerUnaryReactor* SearchEntries(grpc::CallbackServerContext* context, const v1::SearchEntriesRequest* request,
                                          v1::SearchEntriesResponse* response) override;
  grpc::ServerUnaryReactor* GetEntry(grpc::CallbackServerContext* context, const v1::GetEntryRequest* request,
                                     v1::GetEntryResponse* response) override;
  grpc::ServerUnaryReactor* VerifyChain(grpc::CallbackServerContext* context, const v1::VerifyChainRequest* request,
                                        v1::VerifyChainResponse* response) override;

 private:
  absl::StatusOr<Caller> Admit(Rpc rpc, const v1::Caller& claimed, const grpc::ServerContextBase& context);

  RpcRuntime& runtime_;
  pipeline::AuditQueue& queue_;
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_AUDIT_SERVICE_H_
