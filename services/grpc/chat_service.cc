#include "services/grpc/chat_service.h"

#include "services/api/chat_api.h"
#include "services/grpc/chat_call.h"
#include "services/grpc/unary_call.h"

namespace toolgate::services::grpc {

::grpc::ServerWriteReactor<::grpc::ByteBuffer>* ChatService::Chat(::grpc::CallbackServerContext* context,
                                                                  const ::grpc::ByteBuffer* request) {
  return ChatCall::Start(runtime_, *context, *request);
}

::grpc::ServerUnaryReactor* ChatService::ListConversations(::grpc::CallbackServerContext* context,
                                                           const ::grpc::ByteBuffer* request,
                                                           ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kListConversations, *request, *response, api::ListConversations);
}

::grpc::ServerUnaryReactor* ChatService::GetConversation(::grpc::CallbackServerContext* context,
                                                         const ::grpc::ByteBuffer* request,
                                                         ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kGetConversation, *request, *response, api::GetConversation);
}

::grpc::ServerUnaryReactor* ChatService::DeleteConversation(::grpc::CallbackServerContext* context,
                                                            const ::grpc::ByteBuffer* request,
                                                            ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kDeleteConversation, *request, *response, api::DeleteConversation);
}

}  // namespace toolgate::services::grpc
