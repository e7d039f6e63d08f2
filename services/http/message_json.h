// Messages of the API as JSON.
#ifndef TOOLGATE_SERVICES_HTTP_MESSAGE_JSON_H_
#define TOOLGATE_SERVICES_HTTP_MESSAGE_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "services/http/event_stream.h"

namespace toolgate::services::http {

// `message` in one line by the JSON mapping of Protocol Buffers, in lowerCamelCase. Fields that are not set are there
// with their default, except messages and fields of a oneof. EXECUTION_ERROR when it is too long.
absl::StatusOr<std::string> MessageToJson(const google::protobuf::Message& message);

// The one member that is set in the oneof of `message`, as an event: its name is the field's in the .proto, its data
// the member alone. `message` has no other fields, and one member is set.
absl::StatusOr<ServerSentEvent> ChoiceToEvent(const google::protobuf::Message& message);

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_MESSAGE_JSON_H_
