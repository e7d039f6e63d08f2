// Messages of the API from the JSON, the query and the path of a request.
#ifndef TOOLGATE_SERVICES_HTTP_REQUEST_JSON_H_
#define TOOLGATE_SERVICES_HTTP_REQUEST_JSON_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "common/json.h"
#include "google/protobuf/message.h"
#include "services/api/input_budget.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::http {

// Parts of a request that hold fields of its message. Borrows the texts that are views.
struct RequestParts {
  bool takes_body = false;  // True: the fields are in the body; false: in the query.
  std::string body;         // JSON; empty: {}.
  // Room that the body has taken. A request whose tree needs more than there is is OVERLOADED.
  api::InputBudget::Lease room{};
  // Of layer 2, on arguments. A body may have somewhat more, for what is around them (kEnvelope).
  JsonLimits limits{};
  std::string_view query;  // Percent-encoded.
  std::string_view field;  // Name of the field that the path holds; empty: none.
  std::string value;       // Its value, decoded.
};

// Bounds on a body beyond those on arguments: the other fields of a request are a few dozen.
inline constexpr JsonLimits kEnvelope = {.max_depth = 8, .max_keys = 1000, .max_values = 1000};

// Reads `message` by the JSON mapping of Protocol Buffers: names as in the .proto or in lowerCamelCase, int64 as text
// or number, bytes as base64, durations as "30s", times by RFC 3339, enums by name or number. In a query, names of
// nested fields are joined by dots ("caller.user_id=ann") and a list is a repeated name.
//
// INVALID_PARAMS, with a violation at the JSON pointer of each problem, when there is a field that the message has not,
// a value of another kind, a field twice, two fields of one oneof, or a field that contradicts the path; and with the
// line and column when the body is not JSON at all, or the bound and the byte when it holds too much, before anything
// is made of it. OVERLOADED when there is no room for the tree. JSON is read strictly (common/json.h).
//
// Body and room end with this, since the call may last for minutes.
absl::Status ReadRequest(RequestParts parts, google::protobuf::Message& message);

// The same for a tool call, whose "arguments" are kept as they are written, number by number, instead of passing
// through google.protobuf.Struct.
absl::Status ReadExecuteRequest(RequestParts parts, v1::ExecuteRequest& request);

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_REQUEST_JSON_H_
