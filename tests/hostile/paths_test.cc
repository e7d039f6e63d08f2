// Attacks with paths, trees and ids of workspaces: deep ones, many of them, and configurations that put the service's
// own data into the reach of a command.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/descriptor.h"
#include "common/json.h"
#include "executors/files/settings.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/sandbox_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;
using executors::files::FilesSettings;
using ::testing::HasSubstr;
using testing::TestServer;

constexpr int kOpenDirectories = 8;

// `depth` folders called "d" in each other.
std::string Deep(int depth) {
  std::string path = "d";
  for (int i = 1; i < depth; ++i) path += "/d";
  return path;
}

int64_t OpenDescriptors() { return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()); }

class HostilePathsTest : public ::testing::Test {
 protected:
  HostilePathsTest()
      : server_([this](config::v1::Config& config) {
          fs::create_directories(files());
          FilesSettings& settings = *config.mutable_families()->MutableExtension(FilesSettings::files);
          settings.set_root(files());
          settings.set_max_open_directories(kOpenDirectories);
          auto& developer = (*config.mutable_identity()->mutable_roles())["developer"];
          for (const char* const tool : {"Bash", "Write", "Edit"}) developer.add_auto_approve(tool);
        }) {}

  std::string files() const { return dir_.path() + "/files"; }
  std::string PathTo(const std::string& name) const { return absl::StrCat(files(), "/w/", name); }
  void Put(const std::string& name, const std::string& content) const {
    MakeFolder(fs::path(name).parent_path().string());
    std::ofstream(PathTo(name)) << content;
  }
  // Also one whose path is too long for the kernel to take at once.
  void MakeFolder(const std::string& name) const {
    fs::create_directories(PathTo(""));
    Descriptor folder(open(PathTo("").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (const fs::path& part : fs::path(name)) {
      mkdirat(folder.get(), part.c_str(), 0755);
      folder = Descriptor(openat(folder.get(), part.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      ASSERT_TRUE(folder.valid()) << part;
    }
  }
  // The code of an error; "" when the call succeeds.
  std::string CodeOf(const std::string& tool, const Json& arguments, const std::string& workspace = "w") {
    v1::ExecuteRequest request = TestServer::Request(tool, DumpJson(arguments));
    request.mutable_caller()->set_workspace_id(workspace);
    v1::ExecuteResponse response;
    const grpc::Status status = server_.Execute(request, response);
    if (!status.ok()) return testing::ErrorInfoOf(status).reason();
    return response.result().success() ? "" : response.result().error().code();
  }

  const testing::TempDir dir_;
  TestServer server_;
};

// 1,999 components cost more than a minute each, and no deadline ended that.
TEST_F(HostilePathsTest, DeepPathsAreRefusedBeforeAnyWork) {
  const std::string path = Deep(1999);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(CodeOf("Read", {{"file", path}}), "INVALID_PARAMS");
    EXPECT_EQ(CodeOf("Write", {{"file", path}, {"content", "x"}}), "INVALID_PARAMS");
    EXPECT_EQ(CodeOf("Edit", {{"file", path}, {"oldText", "x"}, {"newText", "y"}}), "INVALID_PARAMS");
  }
  EXPECT_EQ(CodeOf("Write", {{"file", Deep(99) + "/file"}, {"content", "x"}}), "") << "100 components are allowed";
  EXPECT_EQ(CodeOf("Read", {{"file", Deep(99) + "/file"}}), "");
}

// 2,527 ids took all descriptors of the process.
TEST_F(HostilePathsTest, IdsOfWorkspacesTakeNoDescriptors) {
  Put("file", "mine");
  ASSERT_EQ(CodeOf("Read", {{"file", "file"}}), "");
  const int64_t before = OpenDescriptors();
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(CodeOf("Read", {{"file", "none"}}, absl::StrCat("id", i)), "NOT_FOUND");
  }
  EXPECT_LE(OpenDescriptors(), before + 2 * kOpenDirectories);
  EXPECT_EQ(CodeOf("Read", {{"file", "file"}}), "") << "another caller is served";
}

TEST_F(HostilePathsTest, NothingIsChangedThroughAFolderThatIsNotTheServicesOwn) {
  Put("file", "old");
  fs::create_directories(PathTo("elsewhere"));
  fs::create_directory_symlink("elsewhere", PathTo(".toolgate"));
  EXPECT_EQ(CodeOf("Write", {{"file", "file"}, {"content", "new"}}), "NOT_CONFIGURED");
  fs::remove(PathTo(".toolgate"));
  fs::create_directories(PathTo(".toolgate"));
  fs::permissions(PathTo(".toolgate"), fs::perms::all);
  EXPECT_EQ(CodeOf("Write", {{"file", "file"}, {"content", "new"}}), "NOT_CONFIGURED");
  EXPECT_TRUE(fs::is_empty(PathTo("elsewhere")));
  fs::remove(PathTo(".toolgate"));
  EXPECT_EQ(CodeOf("Write", {{"file", "file"}, {"content", "new"}}), "");
}

class HostileTreesTest : public HostilePathsTest {
 protected:
  void SetUp() override { TOOLGATE_NEEDS_SANDBOX(geteuid()); }
  std::string OutputOf(const std::string& command) {
    return server_.RunTool("Bash", DumpJson(Json{{"command", command}})).value("stdout", "");
  }
};

// A deep tree made each command cost seconds, one of 1,000 levels 25; a secret below must stay out of reach however
// deep it is.
TEST_F(HostileTreesTest, DeepTreesHideNoSecretAndCostNoCommandItsTime) {
  Put("d/visible", "seen");
  MakeFolder(Deep(300));
  fs::create_directories(PathTo(Deep(120)));
  std::ofstream(PathTo(Deep(120) + "/.env")) << "canary";
  std::ofstream(PathTo(Deep(120) + "/plain")) << "canary";
  EXPECT_EQ(OutputOf("echo hi"), "hi\n");
  EXPECT_EQ(OutputOf("cat d/visible; grep -rs canary . ; find . -type d | wc -l"), "seen100\n");
  const Json removed = server_.RunTool("Bash", DumpJson(Json{{"command", "rm -rf d"}}));
  EXPECT_THAT(DumpJson(removed), HasSubstr("which stay")) << "told, not lost";
  EXPECT_FALSE(fs::exists(PathTo("d/visible")));
  EXPECT_TRUE(fs::exists(PathTo(Deep(120) + "/.env")));
}

TEST_F(HostileTreesTest, WhatACommandMakesTooDeepIsToldAndNotKept) {
  const Json made = server_.RunTool(
      "Bash", DumpJson(Json{{"command", "echo x >file; for i in $(seq 150); do mkdir d && cd d; done; echo x >deep"}}));
  EXPECT_THAT(DumpJson(made), HasSubstr("has more than 100 components"));
  EXPECT_TRUE(fs::exists(PathTo("file")));
  EXPECT_TRUE(fs::exists(PathTo(Deep(100))));
  EXPECT_FALSE(fs::exists(PathTo(Deep(101))));
}

TEST(HostileConfigurationTest, TheServicesOwnDataLiesInNoWorkspace) {
  const testing::TempDir dir;
  const auto load = [&](const std::string& data_dir, const std::string& files) {
    const std::string file = dir.path() + "/etc/toolgate.yaml";
    fs::create_directories(dir.path() + "/etc");
    std::ofstream(file) << "files: {root: " << dir.path() << files << "}\nstorage: {data_dir: " << dir.path()
                        << data_dir << "}\n";
    return services::config::Load({.file = file}).status();
  };
  EXPECT_TRUE(load("/data", "/files").ok()) << load("/data", "/files");
  for (const auto& [data_dir, files] : std::vector<std::pair<std::string, std::string>>{{"/files/w/data", "/files"},
                                                                                        {"/data", "/data/files"},
                                                                                        {"/data", "/data"},
                                                                                        {"/data", "/etc"},
                                                                                        {"/data", ""}}) {
    const absl::Status status = load(data_dir, files);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << data_dir << " " << files;
    EXPECT_THAT(std::string(status.message()), HasSubstr("toolgate.yaml:1:")) << "the line";
  }
  fs::create_directories(dir.path() + "/files");
  fs::create_directory_symlink(dir.path() + "/files", dir.path() + "/link");
  EXPECT_FALSE(load("/link/data", "/files").ok()) << "links hide nothing";
}

}  // namespace
}  // namespace toolgate
