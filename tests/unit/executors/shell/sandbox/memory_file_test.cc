#include "executors/shell/sandbox/memory_file.h"

#include <unistd.h>

#include <string>

#include "gtest/gtest.h"

namespace toolgate::executors::shell::sandbox {
namespace {

TEST(MemoryFileTest, IsReadFromItsBeginningAndNotWritten) {
  const auto file = MakeMemoryFile("test", "some text");
  ASSERT_TRUE(file.ok()) << file.status();
  char text[16] = {};
  EXPECT_EQ(read(file->get(), text, sizeof(text)), 9);
  EXPECT_STREQ(text, "some text");
  EXPECT_EQ(write(file->get(), "x", 1), -1);
}

}  // namespace
}  // namespace toolgate::executors::shell::sandbox
