// toolgate.v1.AdminService on the wire.
#ifndef TOOLGATE_SERVICES_GRPC_ADMIN_SERVICE_H_
#define TOOLGATE_SERVICES_GRPC_ADMIN_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>

#include "services/grpc/grpc_runtime.h"
#include "toolgate/v1/admin_service.grpc.pb.h"

namespace toolgate::services::grpc {

// With bytes instead of messages: nothing is parsed before the caller is known.
using AdminServiceOfBytes = v1::AdminService::WithRawCallbackMethod_ListBreakers<
    v1::AdminService::WithRawCallbackMethod_ResetBreaker<v1::AdminService::WithRawCallbackMethod_ReloadCatalog<
        v1::AdminService::WithRawCallbackMethod_GetQuotaUsage<v1::AdminService::Service>>>>;

// Thread-safe.
class AdminService final : public AdminServiceOfBytes {
 public:
  // Borrows `runtime`.
  explicit AdminService(GrpcRuntime& runtime) : runtime_(runtime) {}

  ::grpc::ServerUnaryReactor* ListBreakers(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                           ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* ResetBreaker(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                           ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* ReloadCatalog(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                            ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* GetQuotaUsage(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                            ::grpc::ByteBuffer* response) override;

 private:
  GrpcRuntime& runtime_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_ADMIN_SERVICE_H_
