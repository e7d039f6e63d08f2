#include "executors/shell/sandbox/launcher_image.h"

#include <unistd.h>

#include <string>

#include "gtest/gtest.h"

namespace toolgate::executors::shell::sandbox {
namespace {

TEST(LauncherImageTest, IsAProgram) {
  const auto file = OpenLauncher();
  ASSERT_TRUE(file.ok()) << file.status();
  std::string magic(4, ' ');
  ASSERT_EQ(read(file->get(), magic.data(), 4), 4);
  EXPECT_EQ(magic, "\177ELF");
}

}  // namespace
}  // namespace toolgate::executors::shell::sandbox
