// A workspace's directory with a canary outside of it, and a store for sessions.
#ifndef TOOLGATE_TESTS_UNIT_EXECUTORS_DIRECTORY_DIRECTORY_FIXTURE_H_
#define TOOLGATE_TESTS_UNIT_EXECUTORS_DIRECTORY_DIRECTORY_FIXTURE_H_

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/fibers/cancellation.h"
#include "common/tool_error.h"
#include "executors/directory/content.h"
#include "executors/directory/directory.h"
#include "gtest/gtest.h"
#include "storage/store.h"
#include "tests/support/bare_session.h"
#include "tests/support/directory_limits.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"

namespace toolgate::executors::directory {

inline constexpr char kCanary[] = "the canary outside";

class DirectoryFixture : public ::testing::Test {
 protected:
  DirectoryFixture() {
    std::filesystem::create_directories(root());
    std::filesystem::create_directories(temp_.path() + "/work-sibling");
    Put("../canary", kCanary);
    Put("../work-sibling/canary", kCanary);
    testing::TestStoreOptions options;
    options.data_dir = temp_.path() + "/data";
    store_ = testing::MakeTestStore(options);
    Open();
  }
  void Open(Limits limits = testing::kDirectoryLimits) {
    directory_ = Directory::Open(root(), DenyList::Create({}).value(), limits).value();
  }

  std::string root() const { return temp_.path() + "/work"; }
  std::string PathTo(const std::string& name) const { return root() + "/" + name; }
  void Put(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(PathTo(name)).parent_path());
    std::ofstream(PathTo(name), std::ios::binary) << content;
  }
  void Link(const std::string& target, const std::string& name) const {
    std::filesystem::create_directories(std::filesystem::path(PathTo(name)).parent_path());
    std::filesystem::create_symlink(target, PathTo(name));
  }
  std::string Content(const std::string& name) const {
    std::ifstream file(PathTo(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool Exists(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(PathTo(name)));
  }
  uint32_t Mode(const std::string& name) const {
    struct stat stat = {};
    EXPECT_EQ(lstat(PathTo(name).c_str(), &stat), 0) << name;
    return stat.st_mode & 07777;
  }
  // Of a file read through the directory; the error's code by name when it cannot be.
  std::string Read(const std::string& name) const {
    const absl::StatusOr<OpenFile> open = directory_->OpenToRead(name);
    if (!open.ok()) return CodeName(open.status());
    return ReadWhole(open->file.get(), name, 1 << 20).value_or("(unreadable)");
  }
  static std::string CodeName(const absl::Status& status) {
    const std::optional<ToolError> error = GetToolError(status);
    return error.has_value() ? std::string(ErrorCodeName(error->code)) : status.ToString();
  }
  std::unique_ptr<testing::BareSession> Session(const std::string& key) const {
    return std::make_unique<testing::BareSession>(*store_, "w", key);
  }
  // Files, links and folders below the directory, but for the service's own.
  std::string Listing() const {
    std::string listing;
    std::set<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root())) {
      const std::string path = entry.path().string().substr(root().size() + 1);
      if (path.rfind(".toolgate", 0) != 0) paths.insert(path);
    }
    for (const std::string& path : paths) {
      const FileState state = directory_->Look(path).value();
      listing += path + " " + std::string(KindName(state.kind)) + " " + std::to_string(state.mode) + " " +
                 std::to_string(std::hash<std::string>()(state.sha256)) + state.target + "\n";
    }
    return listing;
  }

  testing::TempDir temp_;
  const fibers::Cancellation never_;
  std::unique_ptr<storage::Store> store_;
  std::shared_ptr<Directory> directory_;
};

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_TESTS_UNIT_EXECUTORS_DIRECTORY_DIRECTORY_FIXTURE_H_
