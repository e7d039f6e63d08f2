// A fixture with shorthands for building a workspace.
#ifndef TOOLGATE_TESTS_SUPPORT_WORKSPACE_FIXTURE_H_
#define TOOLGATE_TESTS_SUPPORT_WORKSPACE_FIXTURE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/json.h"
#include "gtest/gtest.h"
#include "tests/support/tool_harness.h"
#include "tests/support/tool_matchers.h"

namespace toolgate::testing {

// Now is 2026-03-02 09:00 UTC, a Monday; the user is "ann".
class WorkspaceTest : public ::testing::Test {
 protected:
  WorkspaceTest() = default;
  // `max_undo_bytes`: limit of one change's undo entry.
  explicit WorkspaceTest(int64_t max_undo_bytes) : harness_({}, max_undo_bytes) {}

  static Json Parse(const std::string& text) {
    absl::StatusOr<Json> json = ParseJson(text);
    EXPECT_TRUE(json.ok()) << text << ": " << json.status();
    return json.ok() ? *std::move(json) : Json();
  }

  absl::StatusOr<Json> Call(std::string_view tool, const Json& arguments) { return harness_.Call(tool, arguments); }

  // A call that must succeed.
  Json Do(std::string_view tool, const Json& arguments) {
    absl::StatusOr<Json> result = harness_.Call(tool, arguments);
    EXPECT_TRUE(result.ok()) << tool << " " << DumpJson(arguments) << ": " << result.status();
    return result.ok() ? *std::move(result) : Json::object();
  }

  // Returns the id.
  std::string Create(std::string_view type, std::string_view parent, const std::string& data) {
    Json arguments = {{"type", std::string(type)}, {"data", Parse(data)}};
    if (!parent.empty()) arguments["parentId"] = std::string(parent);
    return Do("create_block", arguments).value("blockId", "");
  }

  std::string Task(const std::string& arguments) { return Do("create_task", Parse(arguments)).value("taskId", ""); }

  // The values under `key` of the objects in `list`.
  static std::vector<std::string> Pluck(const Json& list, const char* key) {
    std::vector<std::string> values;
    for (const Json& item : list) {
      const Json& value = item.at(key);
      values.push_back(value.is_string() ? value.get<std::string>() : DumpJson(value));
    }
    return values;
  }

  ToolHarness harness_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_WORKSPACE_FIXTURE_H_
