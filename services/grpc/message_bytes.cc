#include "services/grpc/message_bytes.h"

#include <grpc/slice.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/slice.h>

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/api/take_up.h"
#include "services/grpc/wire_count.h"

namespace toolgate::services::grpc {
namespace {

// Bytes; too short to become large.
constexpr size_t kShortMessage = size_t{4} << 10;

absl::Status Malformed(const google::protobuf::Message& message) {
  return MakeError(ErrorCode::kInvalidParams, absl::StrCat("the message is not a well-formed ", message.GetTypeName(),
                                                           "; a text that is not UTF-8 makes it so"));
}

absl::Status Parse(const ::grpc::ByteBuffer& bytes, google::protobuf::Message& message) {
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

absl::Status TooManyParts(const google::protobuf::Message& message, const absl::Status& why) {
  return MakeError(ErrorCode::kInvalidParams,
                   absl::StrCat("the message is no ", message.GetTypeName(), " that is taken: ", why.message()));
}

// Short messages are bounded by the number of calls.
absl::StatusOr<api::InputBudget::Lease> TakeRoom(const api::KnownCall& known, const ::grpc::ByteBuffer& bytes,
                                                 const google::protobuf::Message& message) {
  const JsonLimits& limits = known.core().argument_limits();
  api::InputBudget::Lease lease(known.runtime().inputs);
  const size_t length = bytes.Valid() ? bytes.Length() : 0;
  if (length <= kShortMessage && !MayExceedParts(length, limits)) return lease;
  ::grpc::ByteBuffer copy = bytes;  // Reading consumes it; the slices themselves are shared.
  ::grpc::ProtoBufferReader reader(&copy);
  const absl::StatusOr<WireCounts> counts = CountWire(reader, *message.GetDescriptor(), limits);
  if (absl::IsDataLoss(counts.status())) return Malformed(message);
  if (!counts.ok()) return TooManyParts(message, counts.status());
  if (lease.Grow(CostOfMessage(length, *counts))) return lease;
  return api::NoRoom(known.runtime());
}

}  // namespace

absl::StatusOr<api::InputBudget::Lease> ReadMessage(const api::KnownCall& known, const ::grpc::ByteBuffer& bytes,
                                                    google::protobuf::Message& message) {
  ASSIGN_OR_RETURN(api::InputBudget::Lease lease, TakeRoom(known, bytes, message));
  RETURN_IF_ERROR(Parse(bytes, message));
  return lease;
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

::grpc::Status ReadQuestion(const ::grpc::ByteBuffer& bytes, google::protobuf::Message& question) {
  if (bytes.Valid() && bytes.Length() > kMaxQuestionBytes) {
    return {::grpc::StatusCode::INVALID_ARGUMENT,
            absl::StrCat("A question has at most ", kMaxQuestionBytes, " bytes.")};
  }
  if (Parse(bytes, question).ok()) return ::grpc::Status::OK;
  return {::grpc::StatusCode::INVALID_ARGUMENT, "The question is not well-formed."};
}

::grpc::Status WriteAnswer(const google::protobuf::Message& answer, ::grpc::ByteBuffer& bytes) {
  if (WriteMessage(answer, bytes).ok()) return ::grpc::Status::OK;
  return {::grpc::StatusCode::INTERNAL, "The answer is too long."};
}

}  // namespace toolgate::services::grpc
