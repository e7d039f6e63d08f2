// toolgate.v1.AdminService on the wire.
#ifndef TOOLGATE_SERVICES_RPC_ADMIN_SERVICE_H_
#define TOOLGATE_SERVICES_RPC_ADMIN_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>

#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/admin_service.grpc.pb.h"

namespace toolgate::services::rpc {

// With bytes instead of messages: nothing is parsed before the caller is known.
using AdminServiceOfBytes = v1::AdminService::WithRawCallbackMethod_ListBreakers<
    v1::AdminService::WithRawCallbackMethod_ResetBreaker<v1::AdminService::WithRawCallbackMethod_ReloadCatalog<
        v1::AdminService::WithRawCallbackMethod_GetQuotaUsage<v1::AdminService::Service>>>>;

// Thread-safe. ReloadCatalog comes with tools that are not built in, and answers UNIMPLEMENTED until then.
class AdminService final : public AdminServiceOfBytes {
 public:
  // Borrows `runtime`.
  explicit AdminService(RpcRuntime& runtime) : runtime_(runtime) {}

  grpc::ServerUnaryReactor* ListBreakers(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ResetBreaker(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ReloadCatalog(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetQuotaUsage(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;

 private:
  RpcRuntime& runtime_;
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_ADMIN_SERVICE_H_
