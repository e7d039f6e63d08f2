#include "services/http/answer.h"

#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/grpc_status_name.h"
#include "common/json.h"
#include "common/proto_bytes.h"
#include "common/tool_error.h"
#include "services/api/error_details.h"

namespace toolgate::services::http {
namespace {

// The details as JSON, each with its "@type".
Json DetailsOf(const google::rpc::Status& status) {
  const auto text = ProtoToJson(status, {});
  if (!text.ok()) return Json::array();
  auto json = ParseJson(*text);
  return json.ok() && json->contains("details") ? std::move((*json)["details"]) : Json::array();
}

// Whole seconds, at least one.
std::string RetryAfter(absl::Duration wait) {
  return absl::StrCat(std::max<int64_t>(1, static_cast<int64_t>(std::ceil(absl::ToDoubleSeconds(wait)))));
}

std::string BodyOf(int http_status, const google::rpc::Status& status) {
  Json error = Json::object();
  error["code"] = http_status;
  error["message"] = status.message();
  error["status"] = std::string(GrpcStatusName(status.code()));
  error["details"] = DetailsOf(status);
  Json body = Json::object();
  body["error"] = std::move(error);
  return DumpJson(body);
}

}  // namespace

int HttpStatusOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kCancelled:
      return 499;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
      return 409;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kUnavailable:
      return 503;
    default:
      return 500;
  }
}

std::string ErrorBody(const absl::Status& status) {
  const google::rpc::Status shown = api::ToRpcStatus(status);
  return BodyOf(HttpStatusOf(static_cast<absl::StatusCode>(shown.code())), shown);
}

Answer ErrorAnswer(const absl::Status& status) {
  return ErrorAnswer(HttpStatusOf(static_cast<absl::StatusCode>(api::ToRpcStatus(status).code())), status);
}

Answer ErrorAnswer(int http_status, const absl::Status& status) {
  Answer answer;
  answer.status = http_status;
  answer.body = BodyOf(http_status, api::ToRpcStatus(status));
  const std::optional<ToolError> error = GetToolError(status);
  if (error.has_value() && error->retry_after.has_value()) {
    answer.headers.emplace_back("Retry-After", RetryAfter(*error->retry_after));
  }
  if (http_status == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

}  // namespace toolgate::services::http
