// toolgate.v1.ChatService on the wire.
#ifndef TOOLGATE_SERVICES_GRPC_CHAT_SERVICE_H_
#define TOOLGATE_SERVICES_GRPC_CHAT_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>

#include "services/grpc/grpc_runtime.h"
#include "toolgate/v1/chat_service.grpc.pb.h"

namespace toolgate::services::grpc {

// With bytes instead of messages: nothing is parsed before the caller is known.
using ChatServiceOfBytes = v1::ChatService::WithRawCallbackMethod_Chat<
    v1::ChatService::WithRawCallbackMethod_ListConversations<v1::ChatService::WithRawCallbackMethod_GetConversation<
        v1::ChatService::WithRawCallbackMethod_DeleteConversation<v1::ChatService::Service>>>>;

// Thread-safe.
class ChatService final : public ChatServiceOfBytes {
 public:
  // Borrows `runtime`.
  explicit ChatService(GrpcRuntime& runtime) : runtime_(runtime) {}

  ::grpc::ServerWriteReactor<::grpc::ByteBuffer>* Chat(::grpc::CallbackServerContext* context,
                                                       const ::grpc::ByteBuffer* request) override;
  ::grpc::ServerUnaryReactor* ListConversations(::grpc::CallbackServerContext* context,
                                                const ::grpc::ByteBuffer* request,
                                                ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* GetConversation(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                              ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* DeleteConversation(::grpc::CallbackServerContext* context,
                                                 const ::grpc::ByteBuffer* request,
                                                 ::grpc::ByteBuffer* response) override;

 private:
  GrpcRuntime& runtime_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_CHAT_SERVICE_H_
