#include "services/http/request_json.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/json_count.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/api/take_up.h"
#include "services/http/json_fields.h"
#include "services/http/json_position.h"
#include "services/http/query_json.h"

namespace toolgate::services::http {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr std::string_view kArguments = "arguments";

absl::Status InvalidRequest(std::string_view message, std::vector<Violation> violations = {}) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = message;
  error.violations = std::move(violations);
  return ToStatus(error);
}

// The bytes are bounded already.
JsonLimits BodyLimits(const RequestParts& parts) {
  JsonLimits limits = parts.limits;
  limits.max_bytes = parts.body.size();
  limits.max_depth += kEnvelope.max_depth;
  limits.max_keys += kEnvelope.max_keys;
  limits.max_values += kEnvelope.max_values;
  return limits;
}

absl::StatusOr<Json> ParseBody(RequestParts& parts) {
  const std::string& body = parts.body;
  if (body.empty()) return Json::object();
  const JsonLimits limits = BodyLimits(parts);
  const absl::StatusOr<JsonCounts> counts = CountJson(body, limits);
  if (!counts.ok()) return InvalidRequest(absl::StrCat("the body holds too much: ", counts.status().message()));
  if (!parts.room.Grow(api::CostOfJson(body.size(), *counts))) {
    return api::Overloaded("the service holds too much of other requests at the moment");
  }
  absl::StatusOr<Json> json = ParseJson(body, limits);
  if (json.ok() && json->is_object()) return json;
  if (json.ok()) return InvalidRequest("the body is JSON but no object; write {\"field\": value, …}");
  const std::optional<TextPosition> position = FindSyntaxError(body);
  const std::string where =
      position.has_value() ? absl::StrCat("line ", position->line, ", column ", position->column, ": ") : "";
  return InvalidRequest(absl::StrCat("the body is not JSON: ", where, json.status().message()));
}

// Puts what the path says into `fields`, which may say the same.
absl::Status AddPathField(const RequestParts& parts, const Descriptor& message, Json& fields) {
  if (parts.field.empty()) return absl::OkStatus();
  const FieldDescriptor& field = *FieldOf(message, parts.field);
  for (const std::string& name : {field.name(), field.json_name()}) {
    const auto stated = fields.find(name);
    if (stated == fields.end()) continue;
    if (*stated != parts.value) {
      return InvalidRequest(absl::StrCat("the body names another ", name, " than the path"),
                            {{absl::StrCat("/", name), "path", "what the path says, or nothing", ""}});
    }
    fields.erase(name);
  }
  fields[field.name()] = parts.value;
  return absl::OkStatus();
}

std::string Describe(const Violation& violation) {
  std::string text = absl::StrCat(violation.path.empty() ? "the whole" : violation.path, ": ", violation.rule);
  if (!violation.expected.empty()) absl::StrAppend(&text, ", expected ", violation.expected);
  if (!violation.found.empty()) absl::StrAppend(&text, ", found ", violation.found);
  return text;
}

absl::StatusOr<Json> FieldsOf(RequestParts& parts, const Descriptor& message) {
  absl::StatusOr<Json> fields = parts.takes_body ? ParseBody(parts) : QueryToJson(parts.query, message);
  if (!fields.ok()) return fields;
  if (parts.takes_body && !parts.query.empty()) {
    return InvalidRequest("this method takes its fields in the body, and none in the query");
  }
  RETURN_IF_ERROR(AddPathField(parts, message, *fields));
  std::vector<Violation> violations = CheckFields(*fields, message);
  if (violations.empty()) return fields;
  const std::string first = Describe(violations.front());
  return InvalidRequest(absl::StrCat("the request is no ", message.full_name(), ": ", first), std::move(violations));
}

absl::Status FillMessage(const Json& fields, google::protobuf::Message& message) {
  if (JsonToProto(DumpJson(fields), {}, message).ok()) return absl::OkStatus();
  return InvalidRequest(absl::StrCat("the request is no ", message.GetTypeName(), " by the JSON mapping"));
}

}  // namespace

absl::Status ReadRequest(RequestParts parts, google::protobuf::Message& message) {
  ASSIGN_OR_RETURN(const Json fields, FieldsOf(parts, *message.GetDescriptor()));
  return FillMessage(fields, message);
}

absl::Status ReadExecuteRequest(RequestParts parts, v1::ExecuteRequest& request) {
  ASSIGN_OR_RETURN(Json fields, FieldsOf(parts, *v1::ExecuteRequest::descriptor()));
  const auto arguments = fields.find(std::string(kArguments));
  if (arguments == fields.end() || arguments->is_null()) return FillMessage(fields, request);
  std::string text = DumpJson(*arguments);
  fields.erase(arguments);
  RETURN_IF_ERROR(FillMessage(fields, request));
  request.set_arguments_json(std::move(text));
  return absl::OkStatus();
}

}  // namespace toolgate::services::http
