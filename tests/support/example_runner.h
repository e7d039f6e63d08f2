// Runs the examples of tool definitions. docs/tool-definition.md describes the format.
#ifndef TOOLGATE_TESTS_SUPPORT_EXAMPLE_RUNNER_H_
#define TOOLGATE_TESTS_SUPPORT_EXAMPLE_RUNNER_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/tool_definition.h"

namespace toolgate::testing {

// Runs one tool call and returns its data.
using CallTool = std::function<absl::StatusOr<Json>(std::string_view tool_id, const Json& arguments)>;

// Runs the example's setup, then its call, and compares the result. FAILED_PRECONDITION names the step or the place
// that differs from the example.
absl::Status RunExample(std::string_view tool_id, const executors::Example& example, const CallTool& call);

// Place, as a JSON pointer with a reason, where `actual` lacks something in `expected`; nothing if there is none.
// Objects may have more members than expected; arrays must have as many elements.
std::optional<std::string> FindDifference(const Json& expected, const Json& actual, const std::string& path = "");

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_EXAMPLE_RUNNER_H_
