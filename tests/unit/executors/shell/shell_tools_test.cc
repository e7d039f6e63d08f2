#include "executors/shell/shell_tools.h"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/tool_error.h"
#include "executors/files/settings.pb.h"
#include "executors/registration/registration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "observability/sampled_metric.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::shell {
namespace {

using ::testing::HasSubstr;

class ShellToolsTest : public ::testing::Test {
 protected:
  ShellToolsTest() { EXPECT_TRUE(AddDefaults(registration::BuiltInFamilies(), options_.settings).ok()); }

  files::FilesSettings& files() { return *options_.settings.MutableExtension(files::FilesSettings::files); }
  ShellSettings& shell() { return *options_.settings.MutableExtension(ShellSettings::shell); }
  // Why Bash cannot serve workspace "w".
  std::string Reason() {
    const auto catalog = registration::BuiltInCatalog(options_);
    EXPECT_TRUE(catalog.ok()) << catalog.status();
    Caller caller;
    caller.workspace_id = "w";
    const absl::Status status = (*catalog)->Find("Bash")->handlers.available(caller);
    EXPECT_TRUE(status.ok() || GetToolError(status)->code == ErrorCode::kNotConfigured);
    return std::string(status.message());
  }

  const testing::TempDir dir_;
  CatalogOptions options_;
};

TEST_F(ShellToolsTest, WithoutADirectoryBashIsAbsent) { EXPECT_THAT(Reason(), HasSubstr("files.root")); }

TEST_F(ShellToolsTest, WithoutASandboxBashIsAbsent) {
  files().set_root(dir_.path());
  shell().set_bubblewrap("/nowhere/bwrap");
  EXPECT_THAT(Reason(), HasSubstr("there is no program /nowhere/bwrap"));
}

TEST_F(ShellToolsTest, SettingsBecomeLimits) {
  shell().set_max_processes(77);
  shell().mutable_max_cpu()->set_seconds(9);
  shell().set_scratch(ShellSettings::DISK);
  const sandbox::Sandbox::Options options = SandboxOptionsOf(shell(), dir_.path());
  EXPECT_EQ(options.limits.max_processes, 77);
  EXPECT_EQ(options.limits.max_cpu, absl::Seconds(9));
  EXPECT_EQ(options.scratch, sandbox::Scratch::kDisk);
  EXPECT_EQ(options.scratch_folder, dir_.path() + "/shell");
  EXPECT_EQ(SandboxOptionsOf(shell(), "").scratch_folder, "");
}

TEST_F(ShellToolsTest, EverySettingIsPassedOn) {
  const sandbox::Sandbox::Options options = SandboxOptionsOf(shell(), "");
  EXPECT_EQ(options.bubblewrap, shell().bubblewrap());
  EXPECT_EQ(options.max_running, shell().max_running());
  EXPECT_EQ(options.limits.max_memory_bytes, shell().max_memory_bytes());
  EXPECT_EQ(options.limits.max_file_bytes, shell().max_file_bytes());
  EXPECT_EQ(options.limits.max_changed_bytes, shell().max_changed_bytes());
  EXPECT_EQ(options.limits.max_changed_files, shell().max_changed_files());
  EXPECT_EQ(options.limits.max_temporary_bytes, shell().max_temporary_bytes());
  EXPECT_EQ(options.limits.max_open_files, shell().max_open_files());
  const BashOptions bash = BashOptionsOf(shell());
  EXPECT_EQ(bash.max_output_bytes, static_cast<size_t>(shell().max_output_bytes()));
  EXPECT_EQ(bash.max_streamed_bytes, shell().max_streamed_bytes());
  EXPECT_EQ(bash.hidden.show_git, shell().show_git());
}

TEST_F(ShellToolsTest, ShowsItsCommandsAndTheirFailures) {
  std::vector<observability::SampledMetric> metrics;
  options_.add_metric = [&](observability::SampledMetric metric) { metrics.push_back(std::move(metric)); };
  shell().set_max_running(9);
  const auto catalog = registration::BuiltInCatalog(options_);
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  std::map<std::string, std::vector<double>> values;
  for (const observability::SampledMetric& metric : metrics) values[metric.rows.name] = metric.read();
  EXPECT_EQ(values.at("toolgate_shell_commands_running"), std::vector<double>{0});
  EXPECT_EQ(values.at("toolgate_shell_commands_limit"), std::vector<double>{9});
  EXPECT_EQ(values.at("toolgate_shell_failures_total"), std::vector<double>(Bash::kFailures.size()));
}

}  // namespace
}  // namespace toolgate::executors::shell
