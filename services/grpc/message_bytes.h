// Between the bytes that gRPC hands over and messages.
#ifndef TOOLGATE_SERVICES_GRPC_MESSAGE_BYTES_H_
#define TOOLGATE_SERVICES_GRPC_MESSAGE_BYTES_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "services/api/input_budget.h"
#include "services/api/known_call.h"

namespace toolgate::services::grpc {

// Parses `bytes` into `message`, for which the answer, to be kept as long as `message`, has taken room. Leaves `bytes`
// as they are. INVALID_PARAMS, naming the type, when they are not a well-formed one, or are one of more parts than
// layer 2 takes of arguments; found out before anything is made of them. OVERLOADED without room.
//
// The services take bytes instead of messages, so that nothing is parsed before the caller is known, and because gRPC's
// own answer to bytes that are no message is UNIMPLEMENTED without a word on what was wrong.
absl::StatusOr<api::InputBudget::Lease> ReadMessage(const api::KnownCall& known, const ::grpc::ByteBuffer& bytes,
                                                    google::protobuf::Message& message);

// Serialises `message` into `bytes`, in place of what was there. A ToolError, with `bytes` as they were, when the
// message is too long to be sent, which no answer within the bounds of common/message_bounds.h is.
absl::Status WriteMessage(const google::protobuf::Message& message, ::grpc::ByteBuffer& bytes);

// The same for services that anyone may ask (health, reflection, channelz), of whose questions little may come:
// INVALID_ARGUMENT for a longer one, before it is parsed. Both answers are for the client.
inline constexpr size_t kMaxQuestionBytes = size_t{1} << 10;
::grpc::Status ReadQuestion(const ::grpc::ByteBuffer& bytes, google::protobuf::Message& question);
::grpc::Status WriteAnswer(const google::protobuf::Message& answer, ::grpc::ByteBuffer& bytes);

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_MESSAGE_BYTES_H_
