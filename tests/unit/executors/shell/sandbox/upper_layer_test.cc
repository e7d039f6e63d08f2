#include "executors/shell/sandbox/upper_layer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/tool_error.h"
#include "executors/directory/path.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::shell::sandbox {
namespace {

namespace fs = std::filesystem;

class UpperLayerTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return dir_.path() + "/" + name; }
  absl::StatusOr<std::vector<UpperEntry>> Read(int64_t max_entries = 100) const {
    const Descriptor upper(open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return ReadUpperLayer(upper.get(), max_entries, fibers::Cancellation());
  }

  const testing::TempDir dir_;
};

TEST_F(UpperLayerTest, KnowsEachKind) {
  fs::create_directories(Path("folder"));
  std::ofstream(Path("folder/file")) << "text";
  fs::create_hard_link(Path("folder/file"), Path("folder/other"));
  fs::create_symlink("/etc/passwd", Path("link"));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  ASSERT_EQ(mknod(Path("removed").c_str(), S_IFCHR, makedev(0, 0)), 0);
  const auto entries = Read();
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 6U);
  EXPECT_EQ((*entries)[0].path, "folder");
  EXPECT_EQ((*entries)[0].kind, EntryKind::kFolder);
  EXPECT_EQ((*entries)[1].path, "folder/file");
  EXPECT_EQ((*entries)[1].size, 4);
  EXPECT_TRUE((*entries)[1].is_shared);
  EXPECT_EQ((*entries)[3].target, "/etc/passwd");
  EXPECT_EQ((*entries)[4].kind, EntryKind::kSpecial);
  EXPECT_EQ((*entries)[5].kind, EntryKind::kRemoved);
}

TEST_F(UpperLayerTest, KnowsAFolderThatReplacesAnother) {
  fs::create_directories(Path("folder"));
  if (setxattr(Path("folder").c_str(), "user.overlay.opaque", "y", 1, 0) != 0) GTEST_SKIP() << "no user attributes";
  EXPECT_TRUE(Read()->front().replaces);
}

TEST_F(UpperLayerTest, IsBounded) {
  for (int i = 0; i < 5; ++i) std::ofstream(Path("file" + std::to_string(i))) << "x";
  EXPECT_TRUE(Read(5).ok());
  EXPECT_EQ(Read(4).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(UpperLayerTest, EndsWhereNoToolReaches) {
  std::string deep;
  for (size_t i = 0; i < 2 * directory::kMaxComponents; ++i) deep += "d/";
  fs::create_directories(Path(deep));
  const auto entries = Read(10'000);
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ(entries->size(), directory::kMaxComponents + 1) << "the last one shows that something is left out";
}

TEST_F(UpperLayerTest, AsksForCancellation) {
  std::ofstream(Path("file")) << "x";
  fibers::Cancellation cancellation;
  cancellation.Cancel();
  const Descriptor upper(open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(GetToolError(ReadUpperLayer(upper.get(), 10, cancellation).status())->code, ErrorCode::kCancelled);
}

TEST_F(UpperLayerTest, OpensNoLink) {
  fs::create_symlink("/etc/passwd", Path("link"));
  fs::create_directory_symlink("/etc", Path("folder"));
  const Descriptor upper(open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_FALSE(OpenUpperFile(upper.get(), "link").ok());
  EXPECT_FALSE(OpenUpperFile(upper.get(), "folder/passwd").ok());
}

}  // namespace
}  // namespace toolgate::executors::shell::sandbox
