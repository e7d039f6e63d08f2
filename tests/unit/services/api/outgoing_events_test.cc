#include "services/api/outgoing_events.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::api {
namespace {

using ::testing::ElementsAre;

using TextEvents = OutgoingEvents<std::string>;

void Push(TextEvents& events, const std::string& bytes, bool replaceable = false) {
  events.Push(bytes, bytes.size(), replaceable);
}

std::vector<std::string> TakeAll(TextEvents& events) {
  std::vector<std::string> taken;
  while (!events.empty()) {
    taken.push_back(events.BeginFirst());
    events.Pop();
  }
  return taken;
}

TEST(OutgoingEventsTest, KeepTheirOrder) {
  TextEvents events;
  Push(events, "a");
  Push(events, "b", true);
  Push(events, "c");
  EXPECT_THAT(TakeAll(events), ElementsAre("a", "b", "c"));
}

TEST(OutgoingEventsTest, ProgressThatWaitsIsReplaced) {
  TextEvents events;
  Push(events, "1", true);
  Push(events, "22", true);
  Push(events, "3");
  Push(events, "4", true);
  EXPECT_THAT(TakeAll(events), ElementsAre("22", "3", "4"));
}

TEST(OutgoingEventsTest, ProgressThatLeavesIsNot) {
  TextEvents events;
  Push(events, "1", true);
  EXPECT_EQ(events.BeginFirst(), "1");
  Push(events, "2", true);
  Push(events, "3", true);
  EXPECT_THAT(TakeAll(events), ElementsAre("1", "3"));
}

TEST(OutgoingEventsTest, HaveRoomUpToTheirBound) {
  TextEvents events;
  Push(events, std::string(TextEvents::kMaxQueuedBytes, 'x'));
  EXPECT_TRUE(events.HasRoom());
  Push(events, "y", true);
  EXPECT_FALSE(events.HasRoom());
  events.BeginFirst();
  events.CountLeft(2);
  EXPECT_TRUE(events.HasRoom());
  Push(events, "zzz", true);
  EXPECT_FALSE(events.HasRoom());
  events.Pop();
  EXPECT_TRUE(events.HasRoom());
  events.Clear();
  EXPECT_TRUE(events.empty());
  Push(events, std::string(TextEvents::kMaxQueuedBytes, 'x'));
  EXPECT_TRUE(events.HasRoom());
}

}  // namespace
}  // namespace toolgate::services::api
