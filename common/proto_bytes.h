// Serialises and parses protobuf messages, with every failure as a status.
//
// protobuf's own functions answer failures by an empty string or a bool that is easily dropped: SerializeAsString gives
// "" for a message of more than 2 GiB. tests/lint/forbidden_calls.mjs keeps them out of the rest of the code.
//
// No state; safe from any thread. A failure is no ToolError: RESOURCE_EXHAUSTED for a message that is too long,
// DATA_LOSS for bytes or JSON that are not a message of the wanted type.
#ifndef TOOLGATE_COMMON_PROTO_BYTES_H_
#define TOOLGATE_COMMON_PROTO_BYTES_H_

#include <google/protobuf/any.pb.h>
#include <google/protobuf/message.h>
#include <google/protobuf/message_lite.h>
#include <google/protobuf/util/json_util.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate {

absl::StatusOr<std::string> SerializeProto(const google::protobuf::MessageLite& message);
// The same bytes for the same message: left to itself, protobuf writes the entries of maps in any order.
absl::StatusOr<std::string> SerializeProtoInFixedOrder(const google::protobuf::MessageLite& message);
// Behind what `bytes` holds, which stays as it was on failure. Serialised messages of one type one behind the other are
// their merger, serialised.
absl::Status AppendProto(const google::protobuf::MessageLite& message, std::string& bytes);
// Into the memory that `allocate` gives, which is asked once, for so many bytes; not at all on failure.
absl::Status SerializeProtoInto(const google::protobuf::MessageLite& message,
                                absl::FunctionRef<uint8_t*(size_t bytes)> allocate);

// Replaces `message`, which holds nothing of use on failure.
absl::Status ParseProto(std::string_view bytes, google::protobuf::MessageLite& message);

absl::Status PackProto(const google::protobuf::Message& message, google::protobuf::Any& any);
// False when `any` holds another type, or bytes that are no message of this one.
[[nodiscard]] bool UnpackProto(const google::protobuf::Any& any, google::protobuf::Message& message);

absl::StatusOr<std::string> ProtoToJson(const google::protobuf::Message& message,
                                        const google::protobuf::util::JsonPrintOptions& options);
absl::Status JsonToProto(std::string_view json, const google::protobuf::util::JsonParseOptions& options,
                         google::protobuf::Message& message);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_PROTO_BYTES_H_
