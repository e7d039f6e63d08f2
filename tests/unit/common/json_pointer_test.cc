#include "common/json_pointer.h"

#include "gtest/gtest.h"

namespace toolgate {
namespace {

TEST(JsonPointerTest, EscapesTheTokenThatIsAdded) {
  EXPECT_EQ(JoinPointer("", "a"), "/a");
  EXPECT_EQ(JoinPointer("/a/0", "b~/c"), "/a/0/b~0~1c");
}

}  // namespace
}  // namespace toolgate
