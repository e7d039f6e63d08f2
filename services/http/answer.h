// Answers other than streams.
#ifndef TOOLGATE_SERVICES_HTTP_ANSWER_H_
#define TOOLGATE_SERVICES_HTTP_ANSWER_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace toolgate::services::http {

// A whole HTTP response.
struct Answer {
  int status = 200;
  std::string body;                                          // JSON, unless it is empty.
  std::vector<std::pair<std::string, std::string>> headers;  // Besides those that every response has.
  bool at_once = false;                                      // Sent without waiting for the request's body.
};

// The HTTP status that stands for a code, as Google's APIs map google.rpc.Code.
int HttpStatusOf(absl::StatusCode code);

// The error of `status`, which is not OK and safe to show: {"error": {"code", "message", "status", "details"}}, with
// "code" the HTTP status, "status" the name of the gRPC code, and "details" as gRPC clients get them, ErrorInfo first.
// A failure that carries no ToolError becomes INTERNAL with a neutral message.
std::string ErrorBody(const absl::Status& status);

// The same as an answer, with Retry-After where a wait helps and WWW-Authenticate where credentials are missing.
Answer ErrorAnswer(const absl::Status& status);
// With another HTTP status than the mapped one, for refusals that only HTTP has (405, 413, 415 …).
Answer ErrorAnswer(int http_status, const absl::Status& status);

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_ANSWER_H_
