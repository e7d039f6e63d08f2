#include "services/grpc/audit_service.h"

#include "services/api/audit_api.h"
#include "services/grpc/unary_call.h"

namespace toolgate::services::grpc {

::grpc::ServerUnaryReactor* AuditService::SearchEntries(::grpc::CallbackServerContext* context,
                                                        const ::grpc::ByteBuffer* request,
                                                        ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kSearchEntries, *request, *response, api::SearchEntries);
}

::grpc::ServerUnaryReactor* AuditService::GetEntry(::grpc::CallbackServerContext* context,
                                                   const ::grpc::ByteBuffer* request, ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kGetEntry, *request, *response, api::GetEntry);
}

::grpc::ServerUnaryReactor* AuditService::VerifyChain(::grpc::CallbackServerContext* context,
                                                      const ::grpc::ByteBuffer* request, ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kVerifyChain, *request, *response, api::VerifyChain);
}

}  // namespace toolgate::services::grpc
