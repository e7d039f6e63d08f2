#include "common/fibers/baton.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace toolgate::fibers {
namespace {

TEST(BatonTest, APostBeforeTheWaitEndsIt) {
  Baton baton;
  baton.Post();
  baton.Wait();
}

TEST(BatonTest, AThreadThatWaitsAsideBlocks) {
  Baton posted_before;
  posted_before.Post();
  posted_before.WaitAside();
  Baton baton;
  int value = 0;
  std::thread other([&] {
    value = 7;
    baton.Post();
  });
  baton.WaitAside();
  EXPECT_EQ(value, 7);
  other.join();
}

TEST(BatonTest, AThreadSeesWhatWasWrittenAndMayDestroyTheBaton) {
  for (int round = 0; round < 200; ++round) {
    auto baton = std::make_unique<Baton>();
    int value = 0;
    std::thread other([&value, posted = baton.get()] {
      value = 7;
      posted->Post();
    });
    baton->Wait();
    baton.reset();  // Post may not have returned yet.
    EXPECT_EQ(value, 7);
    other.join();
  }
}

}  // namespace
}  // namespace toolgate::fibers
