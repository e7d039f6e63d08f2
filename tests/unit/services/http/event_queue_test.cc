#include "services/http/event_queue.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::services::http {
namespace {

std::string TakeBytes(EventQueue& queue, size_t size) {
  std::string buffer(size, '\0');
  buffer.resize(queue.Take(buffer.data(), size));
  return buffer;
}

TEST(EventQueueTest, GivesBytesInTheirOrderAndInAnyPieces) {
  EventQueue queue;
  queue.Push("abc", false);
  queue.Push("defg", false);
  EXPECT_EQ(TakeBytes(queue, 2), "ab");
  EXPECT_EQ(TakeBytes(queue, 3), "cde");
  EXPECT_EQ(TakeBytes(queue, 100), "fg");
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(TakeBytes(queue, 100), "");
}

TEST(EventQueueTest, ReplacesProgressThatHasNotLeft) {
  EventQueue queue;
  queue.Push("1", true);
  queue.Push("22", true);
  EXPECT_EQ(TakeBytes(queue, 100), "22");
}

TEST(EventQueueTest, NeverReplacesWhatHasPartlyLeftOrWasFollowed) {
  EventQueue queue;
  queue.Push("first", true);
  EXPECT_EQ(TakeBytes(queue, 1), "f");
  queue.Push("second", true);
  queue.Push("output", false);
  queue.Push("third", true);
  EXPECT_EQ(TakeBytes(queue, 100), "irstsecondoutputthird");
}

TEST(EventQueueTest, HasRoomUpToItsBound) {
  EventQueue queue;
  queue.Push(std::string(EventQueue::kMaxQueuedBytes, 'x'), false);
  EXPECT_TRUE(queue.HasRoom());
  queue.Push("y", false);
  EXPECT_FALSE(queue.HasRoom());
  TakeBytes(queue, 1);
  EXPECT_TRUE(queue.HasRoom());
  queue.Push("zz", false);
  queue.Clear();
  EXPECT_TRUE(queue.HasRoom());
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace toolgate::services::http
