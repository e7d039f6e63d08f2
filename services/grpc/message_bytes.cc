#include "services/grpc/message_bytes.h"

#include <grpc/slice.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/slice.h>

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "common/proto_bytes.h"
#include "common/tool_error.h"

namespace toolgate::services::grpc {
namespace {

absl::Status Malformed(const google::protobuf::Message& message) {
  return MakeError(ErrorCode::kInvalidParams, absl::StrCat("the message is not a well-formed ", message.GetTypeName(),
                                                           "; a text that is not UTF-8 makes it so"));
}

}  // namespace

absl::Status ReadMessage(const ::grpc::ByteBuffer& bytes, google::protobuf::Message& message) {
  // Most messages lie in one piece.
  if (::grpc::Slice piece; bytes.Valid() && bytes.TrySingleSlice(&piece).ok()) {
    if (ParseProto({reinterpret_cast<const char*>(piece.begin()), piece.size()}, message).ok()) return absl::OkStatus();
    return Malformed(message);
  }
  ::grpc::ByteBuffer copy = bytes;  // Reading consumes it; the slices themselves are shared.
  // No buffer at all is a call that ended without a message.
  if (copy.Valid() && ::grpc::SerializationTraits<google::protobuf::Message>::Deserialize(&copy, &message).ok()) {
    return absl::OkStatus();
  }
  return Malformed(message);
}

absl::Status WriteMessage(const google::protobuf::Message& message, ::grpc::ByteBuffer& bytes) {
  grpc_slice memory = grpc_empty_slice();
  // In one piece: gRPC's own serialisation prepares for many, which costs a short answer as much as writing it.
  const absl::Status serialized = SerializeProtoInto(message, [&memory](size_t length) {
    memory = grpc_slice_malloc(length);
    return GRPC_SLICE_START_PTR(memory);
  });
  if (!serialized.ok()) {
    return MakeError(ErrorCode::kExecutionError,
                     absl::StrCat("the answer, a ", message.GetTypeName(), ", is too long to be sent"));
  }
  const ::grpc::Slice piece(memory, ::grpc::Slice::STEAL_REF);
  ::grpc::ByteBuffer written(&piece, 1);
  bytes.Swap(&written);
  return absl::OkStatus();
}

}  // namespace toolgate::services::grpc
