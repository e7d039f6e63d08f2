#include "executors/continuation.h"

#include "gtest/gtest.h"

namespace toolgate::executors {
namespace {

TEST(ContinuationTest, IsReadAsItWasWritten) {
  const Continuation place{"01abc", 1048576};
  EXPECT_EQ(place.ToText(), "01abc.1048576");
  const auto read = Continuation::Parse(place.ToText());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->id, "01abc");
  EXPECT_EQ(read->offset, 1048576);
}

TEST(ContinuationTest, WhatIsNoneIsNotRead) {
  for (const char* text :
       {"", ".", ".5", "id", "id.", "id.x", "id.-1", "id.1x", "id. 1", "id.+1", "id.0x10", "id.9223372036854775808"}) {
    EXPECT_FALSE(Continuation::Parse(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace toolgate::executors
