// Arguments that came as a google.protobuf.Struct.
#ifndef TOOLGATE_SERVICES_API_STRUCT_JSON_H_
#define TOOLGATE_SERVICES_API_STRUCT_JSON_H_

#include <string>

#include "absl/status/statusor.h"

namespace google::protobuf {
class Struct;
}  // namespace google::protobuf

namespace toolgate::services::api {

// `value` as the text of a JSON object, for the same parser that reads arguments_json, which bounds it. Whole numbers
// of up to 53 bits are written without a fraction, as the JSON mapping of Protocol Buffers has it. INVALID_PARAMS names
// the place of a number that JSON has none for (NaN, infinities) and of a Value that holds nothing.
absl::StatusOr<std::string> StructToJson(const google::protobuf::Struct& value);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_STRUCT_JSON_H_
