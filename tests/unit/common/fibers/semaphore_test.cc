#include "common/fibers/semaphore.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace toolgate::fibers {
namespace {

TEST(SemaphoreTest, APostBeforeTheWaitCounts) {
  Semaphore semaphore;
  semaphore.Post();
  semaphore.Wait();
  EXPECT_FALSE(semaphore.WaitFor(absl::ZeroDuration())) << "one post ends one wait";
}

TEST(SemaphoreTest, WaitForSaysWhetherSomethingWasPosted) {
  Semaphore semaphore;
  EXPECT_FALSE(semaphore.WaitFor(absl::Milliseconds(1)));
  semaphore.Post();
  EXPECT_TRUE(semaphore.WaitFor(absl::Hours(1)));
}

TEST(SemaphoreTest, WhatWasWrittenBeforeThePostIsSeenAndTheWaiterMayGo) {
  for (int round = 0; round < 200; ++round) {
    auto semaphore = std::make_unique<Semaphore>();
    Semaphore* const posted = semaphore.get();
    int value = 0;
    std::thread other([&value, posted] {
      value = 7;
      posted->Post();
    });
    semaphore->Wait();
    semaphore.reset();  // Post may not have returned yet.
    EXPECT_EQ(value, 7);
    other.join();
  }
}

}  // namespace
}  // namespace toolgate::fibers
