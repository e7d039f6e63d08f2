// Comparison of a JSON value with the message that it is to become.
#ifndef TOOLGATE_SERVICES_HTTP_JSON_FIELDS_H_
#define TOOLGATE_SERVICES_HTTP_JSON_FIELDS_H_

#include <string_view>
#include <vector>

#include "common/json.h"
#include "common/tool_error.h"
#include "google/protobuf/descriptor.h"

namespace toolgate::services::http {

// The field that JSON calls `name`: by its own name or in lowerCamelCase. Null: there is none.
const google::protobuf::FieldDescriptor* FieldOf(const google::protobuf::Descriptor& message, std::string_view name);

// Everything in `value` that keeps it from being a `message` by the JSON mapping, at most 50 rows. protobuf's own
// parser stops at the first problem, and quotes values.
std::vector<Violation> CheckFields(const Json& value, const google::protobuf::Descriptor& message);

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_JSON_FIELDS_H_
