#include "common/fibers/event.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

namespace toolgate::fibers {
namespace {

TEST(EventTest, StaysSetUntilItIsReset) {
  Event event;
  EXPECT_FALSE(event.IsSet());
  event.Set();
  event.WaitAside();
  event.WaitAside();
  EXPECT_TRUE(event.IsSet());
  event.Reset();
  EXPECT_FALSE(event.IsSet());
}

TEST(EventTest, SetEndsAWaitAndShowsWhatWasWrittenBefore) {
  Event event;
  int value = 0;
  std::thread other([&] {
    value = 7;
    event.Set();
  });
  while (!event.IsSet()) event.WaitAside();
  EXPECT_EQ(value, 7);
  other.join();
}

TEST(EventTest, AWakeEndsOneWaitWithoutSettingTheFlag) {
  Event event;
  event.Wake();
  event.WaitAside();  // Of the wake before.
  EXPECT_FALSE(event.IsSet());
  std::atomic<bool> woken{false};
  std::thread waiter([&] {
    event.WaitAside();
    woken = true;
  });
  event.Wake();
  waiter.join();
  EXPECT_TRUE(woken);
  EXPECT_FALSE(event.IsSet());
}

TEST(EventTest, TheWaiterMayDestroyItOnceItIsSet) {
  for (int round = 0; round < 500; ++round) {
    auto event = std::make_unique<Event>();
    std::thread other([set = event.get()] { set->Set(); });
    while (!event->IsSet()) event->WaitAside();
    event.reset();  // Set may not have returned yet.
    other.join();
  }
}

}  // namespace
}  // namespace toolgate::fibers
