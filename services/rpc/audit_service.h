// toolgate.v1.AuditService on the wire.
#ifndef TOOLGATE_SERVICES_RPC_AUDIT_SERVICE_H_
#define TOOLGATE_SERVICES_RPC_AUDIT_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>

#include "services/audit/audit_queue.h"
#include "services/rpc/known_call.h"
#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/audit_service.grpc.pb.h"

namespace toolgate::services::rpc {

// With bytes instead of messages: nothing is parsed before the caller is known.
using AuditServiceOfBytes =
    v1::AuditService::WithRawCallbackMethod_SearchEntries<v1::AuditService::WithRawCallbackMethod_GetEntry<
        v1::AuditService::WithRawCallbackMethod_VerifyChain<v1::AuditService::Service>>>;

// Every answer includes what was audited before the question came: waiting entries are flushed first. Thread-safe.
class AuditService final : public AuditServiceOfBytes {
 public:
  // Borrows both.
  AuditService(RpcRuntime& runtime, audit::AuditQueue& queue) : runtime_(runtime), queue_(queue) {}

  grpc::ServerUnaryReactor* SearchEntries(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetEntry(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* VerifyChain(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;

 private:
  absl::StatusOr<Caller> Admit(const KnownCall& call, const v1::Caller& claimed);

  RpcRuntime& runtime_;
  audit::AuditQueue& queue_;
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_AUDIT_SERVICE_H_
