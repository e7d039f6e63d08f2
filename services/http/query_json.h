// The query of a request as the JSON object that stands for the same message.
#ifndef TOOLGATE_SERVICES_HTTP_QUERY_JSON_H_
#define TOOLGATE_SERVICES_HTTP_QUERY_JSON_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "google/protobuf/descriptor.h"

namespace toolgate::services::http {

// "page_size=5&caller.user_id=ann" as {"page_size": "5", "caller": {"user_id": "ann"}}, guided by the fields of
// `message`. INVALID_PARAMS names a parameter that is no field of it, comes twice though the field is no list, or is
// not percent-encoded UTF-8.
absl::StatusOr<Json> QueryToJson(std::string_view query, const google::protobuf::Descriptor& message);

// Decodes "%41" (and "+" as a blank). False when that is malformed, or the result is not UTF-8 or holds a NUL.
bool DecodePercent(std::string_view text, bool plus_is_blank, std::string& out);

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_QUERY_JSON_H_
