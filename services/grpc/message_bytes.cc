#include "services/grpc/message_bytes.h"

#include <grpcpp/impl/codegen/proto_utils.h>

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"

namespace toolgate::services::grpc {

absl::Status ReadMessage(const ::grpc::ByteBuffer& bytes, google::protobuf::Message& message) {
  ::grpc::ByteBuffer copy = bytes;  // Reading consumes it; the slices themselves are shared.
  // No buffer at all is a call that ended without a message.
  if (copy.Valid() && ::grpc::SerializationTraits<google::protobuf::Message>::Deserialize(&copy, &message).ok()) {
    return absl::OkStatus();
  }
  return MakeError(ErrorCode::kInvalidParams, absl::StrCat("the message is not a well-formed ", message.GetTypeName(),
                                                           "; a text that is not UTF-8 makes it so"));
}

absl::Status WriteMessage(const google::protobuf::Message& message, ::grpc::ByteBuffer& bytes) {
  bool owned = false;
  ::grpc::ByteBuffer written;  // gRPC writes into empty ones only.
  if (!::grpc::SerializationTraits<google::protobuf::Message>::Serialize(message, &written, &owned).ok()) {
    return MakeError(ErrorCode::kExecutionError,
                     absl::StrCat("the answer, a ", message.GetTypeName(), ", is too long to be sent"));
  }
  bytes.Swap(&written);
  return absl::OkStatus();
}

}  // namespace toolgate::services::grpc
