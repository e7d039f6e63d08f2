#include "services/http/message_json.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "common/tool_error.h"

namespace toolgate::services::http {

absl::StatusOr<std::string> MessageToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  absl::StatusOr<std::string> json = ProtoToJson(message, options);
  if (json.ok()) return json;
  return MakeError(ErrorCode::kExecutionError,
                   absl::StrCat("the answer, a ", message.GetTypeName(), ", cannot be written as JSON"));
}

absl::StatusOr<ServerSentEvent> ChoiceToEvent(const google::protobuf::Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const auto* field = reflection.GetOneofFieldDescriptor(message, message.GetDescriptor()->oneof_decl(0));
  if (field == nullptr) return MakeError(ErrorCode::kExecutionError, "an event of the stream is empty");
  ServerSentEvent event;
  event.name = field->name();
  ASSIGN_OR_RETURN(event.data, MessageToJson(reflection.GetMessage(message, field)));
  return event;
}

}  // namespace toolgate::services::http
