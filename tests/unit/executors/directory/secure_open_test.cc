#include "executors/directory/secure_open.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::directory {
namespace {

class SecureOpenTest : public ::testing::Test {
 protected:
  SecureOpenTest() {
    std::filesystem::create_directories(dir_.path() + "/in/sub");
    std::ofstream(dir_.path() + "/out.txt") << "out";
    std::ofstream(dir_.path() + "/in/sub/a.txt") << "a";
    std::filesystem::create_symlink("a.txt", dir_.path() + "/in/sub/link");
    std::filesystem::create_symlink("sub", dir_.path() + "/in/folder");
    root_ = Descriptor(open((dir_.path() + "/in").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  int ErrorOf(std::string_view path, int flags = O_RDONLY) const {
    errno = 0;
    return OpenBeneath(root_.get(), path, flags).valid() ? 0 : errno;
  }

  testing::TempDir dir_;
  Descriptor root_;
};

TEST_F(SecureOpenTest, StaysBeneathAndFollowsNoLink) {
  EXPECT_EQ(ErrorOf("sub/a.txt"), 0);
  EXPECT_EQ(ErrorOf(""), 0);
  EXPECT_EQ(ErrorOf("../out.txt"), EXDEV);
  EXPECT_EQ(ErrorOf(dir_.path() + "/in/sub/a.txt"), EXDEV);
  EXPECT_EQ(ErrorOf("sub/link"), ELOOP);
  EXPECT_EQ(ErrorOf("folder/a.txt"), ELOOP);
  EXPECT_EQ(ErrorOf("sub/link", O_PATH | O_NOFOLLOW), 0) << "the link itself";
}

TEST_F(SecureOpenTest, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(GetToolError(FileError(ENOENT, "a"))->code, ErrorCode::kNotFound);
  EXPECT_EQ(GetToolError(FileError(EXDEV, "a"))->code, ErrorCode::kForbidden);
  EXPECT_EQ(GetToolError(FileError(ENOSPC, "a"))->code, ErrorCode::kQuotaExceeded);
  EXPECT_EQ(GetToolError(FileError(EACCES, "a"))->code, ErrorCode::kExecutionError);
  EXPECT_FALSE(GetToolError(FileError(EIO, "a")).has_value()) << "a failing disk is the service's affair";
}

}  // namespace
}  // namespace toolgate::executors::directory
