#include "common/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "gtest/gtest.h"

namespace toolgate {
namespace {

Descriptor Null() { return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }
bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(DescriptorTest, ClosesAtItsEnd) {
  int fd = -1;
  {
    const Descriptor file = Null();
    ASSERT_TRUE(file.valid());
    fd = file.get();
    EXPECT_TRUE(IsOpen(fd));
  }
  EXPECT_FALSE(IsOpen(fd));
  EXPECT_FALSE(Descriptor().valid());
}

TEST(DescriptorTest, MovesItsOwnership) {
  Descriptor first = Null();
  const int fd = first.get();
  Descriptor second(std::move(first));
  EXPECT_EQ(second.get(), fd);
  Descriptor third;
  third = std::move(second);
  EXPECT_EQ(third.get(), fd);
  EXPECT_TRUE(IsOpen(fd));
}

TEST(DescriptorTest, GivesItselfAway) {
  int fd = -1;
  {
    Descriptor file = Null();
    fd = file.Release();
    EXPECT_FALSE(file.valid());
  }
  EXPECT_TRUE(IsOpen(fd));
  close(fd);
}

}  // namespace
}  // namespace toolgate
