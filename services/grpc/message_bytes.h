// Between the bytes that gRPC hands over and messages.
#ifndef TOOLGATE_SERVICES_GRPC_MESSAGE_BYTES_H_
#define TOOLGATE_SERVICES_GRPC_MESSAGE_BYTES_H_

#include <grpcpp/support/byte_buffer.h>

#include "absl/status/status.h"
#include "google/protobuf/message.h"

namespace toolgate::services::grpc {

// Parses `bytes` into `message`. INVALID_PARAMS, naming the type, when they are not a well-formed one. Leaves `bytes`
// as they are.
//
// The services take bytes instead of messages, so that nothing is parsed before the caller is known, and because gRPC's
// own answer to bytes that are no message is UNIMPLEMENTED without a word on what was wrong.
absl::Status ReadMessage(const ::grpc::ByteBuffer& bytes, google::protobuf::Message& message);

// Serialises `message` into `bytes`, in place of what was there. A ToolError, with `bytes` as they were, when the
// message is too long to be sent, which no answer within the bounds of common/message_bounds.h is.
absl::Status WriteMessage(const google::protobuf::Message& message, ::grpc::ByteBuffer& bytes);

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_MESSAGE_BYTES_H_
