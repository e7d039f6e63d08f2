#include "executors/shell/sandbox/seccomp_filter.h"

#include <linux/filter.h>

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace toolgate::executors::shell::sandbox {
namespace {

TEST(SeccompFilterTest, IsAProgramThatTheKernelTakes) {
  const auto program = CompileSeccompFilter(int64_t{1} << 20);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->size() % sizeof(sock_filter), 0U);
  EXPECT_GT(program->size() / sizeof(sock_filter), 50U);
  EXPECT_LE(program->size() / sizeof(sock_filter), size_t{BPF_MAXINSNS});
}

}  // namespace
}  // namespace toolgate::executors::shell::sandbox
