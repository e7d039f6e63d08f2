// Messages of the API from the JSON, the query and the path of a request.
#ifndef TOOLGATE_SERVICES_HTTP_REQUEST_JSON_H_
#define TOOLGATE_SERVICES_HTTP_REQUEST_JSON_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "google/protobuf/message.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::http {

// Parts of a request that hold fields of its message. Borrows all texts.
struct RequestParts {
  bool takes_body = false;  // True: the fields are in the body; false: in the query.
  std::string_view body;    // JSON; empty: {}.
  std::string_view query;   // Percent-encoded.
  std::string_view field;   // Name of the field that the path holds; empty: none.
  std::string value;        // Its value, decoded.
};

// Reads `message` by the JSON mapping of Protocol Buffers: names as in the .proto or in lowerCamelCase, int64 as text
// or number, bytes as base64, durations as "30s", times by RFC 3339, enums by name or number. In a query, names of
// nested fields are joined by dots ("caller.user_id=ann") and a list is a repeated name.
//
// INVALID_PARAMS, with a violation at the JSON pointer of each problem, when there is a field that the message has not,
// a value of another kind, a field twice, two fields of one oneof, or a field that contradicts the path; and with the
// line and column when the body is not JSON at all. JSON is read strictly (common/json.h).
absl::Status ReadRequest(const RequestParts& parts, google::protobuf::Message& message);

// The same for a tool call, whose "arguments" are kept as they are written, number by number, instead of passing
// through google.protobuf.Struct.
absl::Status ReadExecuteRequest(const RequestParts& parts, v1::ExecuteRequest& request);

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_REQUEST_JSON_H_
