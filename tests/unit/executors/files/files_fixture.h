// The tools of files over a real directory.
#ifndef TOOLGATE_TESTS_UNIT_EXECUTORS_FILES_FILES_FIXTURE_H_
#define TOOLGATE_TESTS_UNIT_EXECUTORS_FILES_FILES_FIXTURE_H_

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "common/tool_error.h"
#include "executors/directory/change_set.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/tool_harness.h"

namespace toolgate::executors::files {

class FilesFixture : public ::testing::Test {
 protected:
  FilesFixture() { std::filesystem::create_directories(harness_.files() + "/test"); }

  std::string PathTo(const std::string& name) { return harness_.files() + "/test/" + name; }
  void Put(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(PathTo(name)).parent_path());
    std::ofstream(PathTo(name), std::ios::binary) << content;
  }
  std::string Content(const std::string& name) {
    std::ifstream file(PathTo(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  uint32_t Mode(const std::string& name) {
    struct stat stat = {};
    EXPECT_EQ(lstat(PathTo(name).c_str(), &stat), 0) << name;
    return stat.st_mode & 07777;
  }
  Json Call(std::string_view tool, const Json& arguments, storage::CommitMode mode = storage::CommitMode::kDurable) {
    const auto result = harness_.Call(tool, arguments, mode);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.value_or(Json());
  }
  ToolError Failure(std::string_view tool, const Json& arguments) {
    const auto result = harness_.Call(tool, arguments);
    EXPECT_FALSE(result.ok());
    const auto error = GetToolError(result.status());
    EXPECT_TRUE(error.has_value()) << result.status();
    return error.value_or(ToolError());
  }

  testing::ToolHarness harness_;
};

}  // namespace toolgate::executors::files

#endif  // TOOLGATE_TESTS_UNIT_EXECUTORS_FILES_FILES_FIXTURE_H_
