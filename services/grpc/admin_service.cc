#include "services/grpc/admin_service.h"

#include "services/api/admin_api.h"
#include "services/grpc/unary_call.h"

namespace toolgate::services::grpc {

::grpc::ServerUnaryReactor* AdminService::ListBreakers(::grpc::CallbackServerContext* context,
                                                       const ::grpc::ByteBuffer* request,
                                                       ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kListBreakers, *request, *response, api::ListBreakers);
}

::grpc::ServerUnaryReactor* AdminService::ResetBreaker(::grpc::CallbackServerContext* context,
                                                       const ::grpc::ByteBuffer* request,
                                                       ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kResetBreaker, *request, *response, api::ResetBreaker);
}

::grpc::ServerUnaryReactor* AdminService::ReloadCatalog(::grpc::CallbackServerContext* context,
                                                        const ::grpc::ByteBuffer* request,
                                                        ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kReloadCatalog, *request, *response, api::ReloadCatalog);
}

::grpc::ServerUnaryReactor* AdminService::GetQuotaUsage(::grpc::CallbackServerContext* context,
                                                        const ::grpc::ByteBuffer* request,
                                                        ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kGetQuotaUsage, *request, *response, api::GetQuotaUsage);
}

}  // namespace toolgate::services::grpc
