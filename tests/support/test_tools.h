// Tools and calls for the tests and benchmarks of layers.
#ifndef TOOLGATE_TESTS_SUPPORT_TEST_TOOLS_H_
#define TOOLGATE_TESTS_SUPPORT_TEST_TOOLS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/json.h"
#include "common/tool_error.h"
#include "executors/tool.h"
#include "google/protobuf/duration.pb.h"
#include "security/tool_call.h"

namespace toolgate::testing {

// A tool that reads, needs "block:read" and has no limits. Tests change what they need.
inline executors::Tool MakeTool(std::string_view id, size_t index) {
  executors::Tool tool;
  tool.definition.id = id;
  tool.definition.module = "workspace";
  tool.definition.permissions = {"block:read"};
  tool.definition.argument_schema = Json{{"type", "object"}};
  tool.definition.executor = Json{{"kind", "native"}};
  tool.index = index;
  return tool;
}

// A call of `tool` by user "ada" of workspace "w1", ready for the layers behind authentication. Borrows `tool`.
inline std::unique_ptr<security::ToolCall> MakeCall(const executors::Tool& tool) {
  auto call = std::make_unique<security::ToolCall>();
  call->tool = &tool;
  call->tool_id = tool.definition.id;
  call->caller.workspace_id = "w1";
  call->caller.user_id = "ada";
  return call;
}

inline security::ToolResult Success(std::string_view data_json = "{}") {
  security::ToolResult result;
  result.success = true;
  result.data_json = data_json;
  return result;
}

// Result of the execute step for a tool that ran and failed.
inline security::ToolResult Failure(ErrorCode code) {
  security::ToolResult result;
  result.error.emplace();
  result.error->code = code;
  result.error->message = "it failed";
  return result;
}

inline google::protobuf::Duration ProtoSeconds(int64_t seconds) {
  google::protobuf::Duration duration;
  duration.set_seconds(seconds);
  return duration;
}

// The value of the fact `name`, or "" if there is none.
inline std::string FactOf(const ToolError& error, std::string_view name) {
  for (const auto& [key, value] : error.facts) {
    if (key == name) return value;
  }
  return "";
}

inline std::optional<ErrorCode> CodeOf(const absl::Status& status) {
  const std::optional<ToolError> error = GetToolError(status);
  return error.has_value() ? std::optional<ErrorCode>(error->code) : std::nullopt;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_TEST_TOOLS_H_
