#include "executors/code_graph/code_graph_tools.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/tool_error.h"
#include "common/yaml/config_rules.h"
#include "executors/files/settings.pb.h"
#include "executors/registration/registration.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::code_graph {
namespace {

class CodeGraphToolsTest : public ::testing::Test {
 protected:
  CodeGraphToolsTest() {
    EXPECT_TRUE(AddDefaults(registration::BuiltInFamilies(), options_.settings).ok());
    options_.data_dir = temp_.path() + "/data";
  }
  CodeGraphSettings& settings() { return *options_.settings.MutableExtension(CodeGraphSettings::code_graph); }
  void GiveDirectories() {
    std::filesystem::create_directories(temp_.path() + "/files");
    options_.settings.MutableExtension(files::FilesSettings::files)->set_root(temp_.path() + "/files");
  }
  // Why the tool is not there for a caller; OK: it is.
  absl::Status Availability() const {
    const auto catalog = registration::BuiltInCatalog(options_);
    EXPECT_TRUE(catalog.ok()) << catalog.status();
    Caller caller;
    caller.workspace_id = "w";
    const Tool* const tool = (*catalog)->Find("GraphQuery");
    return tool->handlers.available == nullptr ? absl::OkStatus() : tool->handlers.available(caller);
  }

  testing::TempDir temp_;
  CatalogOptions options_;
};

TEST_F(CodeGraphToolsTest, IsThereWithADirectoryAndCtags) {
  GiveDirectories();
  EXPECT_EQ(Availability(), absl::OkStatus());
}

TEST_F(CodeGraphToolsTest, IsAbsentWithoutADirectory) {
  const auto error = GetToolError(Availability());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kNotConfigured);
  EXPECT_NE(error->message.find("files.root"), std::string::npos) << error->message;
}

TEST_F(CodeGraphToolsTest, IsAbsentWithoutCtags) {
  GiveDirectories();
  settings().set_ctags("/no/such/ctags");
  const auto error = GetToolError(Availability());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kNotConfigured);
  EXPECT_EQ(error->message, "the code graph is not available: code_graph.ctags: there is no program /no/such/ctags");
}

TEST_F(CodeGraphToolsTest, RefusesARelativeProgram) {
  settings().set_ctags("ctags");
  std::vector<std::string> problems;
  CheckFamilies(registration::BuiltInFamilies(), options_.settings,
                [&](std::string_view path, std::string_view problem) {
                  problems.push_back(std::string(path) + ": " + std::string(problem));
                });
  EXPECT_EQ(problems, std::vector<std::string>{"code_graph.ctags: must be an absolute path, or empty"});
}

TEST_F(CodeGraphToolsTest, PassesItsSettingsOn) {
  settings().set_max_rows(7);
  settings().set_max_answer_bytes(2048);
  settings().mutable_max_time()->set_seconds(3);
  settings().mutable_max_wait()->set_seconds(4);
  settings().set_max_memory_bytes(1 << 21);
  settings().set_processes(5);
  settings().set_max_files(6);
  settings().set_max_file_bytes(4096);
  settings().set_max_index_bytes(1 << 22);
  const QueryLimits limits = LimitsOf(settings());
  EXPECT_EQ(limits.max_rows, 7);
  EXPECT_EQ(limits.max_answer_bytes, 2048);
  EXPECT_EQ(limits.max_time, absl::Seconds(3));
  EXPECT_EQ(limits.max_wait, absl::Seconds(4));
  EXPECT_EQ(limits.max_memory_bytes, 1 << 21);
  const index::IndexOptions options = OptionsOf(settings(), "/bin/ctags");
  EXPECT_EQ(options.ctags, "/bin/ctags");
  EXPECT_EQ(options.processes, 5);
  EXPECT_EQ(options.max_files, 6);
  EXPECT_EQ(options.max_file_bytes, 4096);
  EXPECT_EQ(options.max_index_bytes, 1 << 22);
}

}  // namespace
}  // namespace toolgate::executors::code_graph
