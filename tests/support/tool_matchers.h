// Matchers for failed tool calls.
#ifndef TOOLGATE_TESTS_SUPPORT_TOOL_MATCHERS_H_
#define TOOLGATE_TESTS_SUPPORT_TOOL_MATCHERS_H_

#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/absl_bridge.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"

namespace toolgate::testing {

inline absl::Status StatusOf(const absl::Status& status) { return status; }
template <typename T>
absl::Status StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

// Fails with `code`, a message that contains `text`, and, unless `path` is empty, a violation at `path`.
MATCHER_P3(FailsWith, code, text, path, "") {
  const std::optional<ToolError> error = GetToolError(StatusOf(arg));
  if (!error.has_value()) {
    *result_listener << "is " << StatusOf(arg).ToString();
    return false;
  }
  const std::string found_path = error->violations.empty() ? "" : error->violations[0].path;
  *result_listener << "is " << ErrorCodeName(error->code) << " at \"" << found_path << "\": " << error->message;
  return error->code == code && error->message.find(text) != std::string::npos &&
         (std::string(path).empty() || found_path == path);
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_TOOL_MATCHERS_H_
