// toolgate.v1.AuditService on the wire.
#ifndef TOOLGATE_SERVICES_GRPC_AUDIT_SERVICE_H_
#define TOOLGATE_SERVICES_GRPC_AUDIT_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>

#include "services/grpc/grpc_runtime.h"
#include "toolgate/v1/audit_service.grpc.pb.h"

namespace toolgate::services::grpc {

// With bytes instead of messages: nothing is parsed before the caller is known.
using AuditServiceOfBytes =
    v1::AuditService::WithRawCallbackMethod_SearchEntries<v1::AuditService::WithRawCallbackMethod_GetEntry<
        v1::AuditService::WithRawCallbackMethod_VerifyChain<v1::AuditService::Service>>>;

// Thread-safe.
class AuditService final : public AuditServiceOfBytes {
 public:
  // Borrows `runtime`.
  explicit AuditService(GrpcRuntime& runtime) : runtime_(runtime) {}

  ::grpc::ServerUnaryReactor* SearchEntries(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                            ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* GetEntry(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                       ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* VerifyChain(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                          ::grpc::ByteBuffer* response) override;

 private:
  GrpcRuntime& runtime_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_AUDIT_SERVICE_H_
