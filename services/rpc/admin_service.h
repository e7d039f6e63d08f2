// toolgate.v1.AdminService on the wire.
#ifndef TOOLGATE_SERVICES_RPC_ADMIN_SERVICE_H_
#define TOOLGATE_SERVICES_RPC_ADMIN_SERVICE_H_

#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/admin_service.grpc.pb.h"

namespace toolgate::services::rpc {

// Thread-safe. ReloadCatalog comes with tools that are not built in, and answers UNIMPLEMENTED until then.
class AdminService final : public v1::AdminService::CallbackService {
 public:
  // Borrows `runtime`.
  explicit AdminService(RpcRuntime& runtime) : runtime_(runtime) {}

  grpc::ServerUnaryReactor* ListBreakers(grpc::CallbackServerContext* context, const v1::ListBreakersRequest* request,
                                         v1::ListBreakersResponse* response) override;
  grpc::ServerUnaryReactor* ResetBreaker(grpc::CallbackServerContext* context, const v1::ResetBreakerRequest* request,
                                         v1::ResetBreakerResponse* response) override;
  grpc::ServerUnaryReactor* GetQuotaUsage(grpc::CallbackServerContext* context, const v1::GetQuotaUsageRequest* request,
                                          v1::GetQuotaUsageResponse* response) override;
  grpc::ServerUnaryReactor* ReloadCatalog(grpc::CallbackServerContext* context, const v1::ReloadCatalogRequest* request,
                                          v1::ReloadCatalogResponse* response) override;

 private:
  RpcRuntime& runtime_;
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_ADMIN_SERVICE_H_
