#include "common/fibers/fiber.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common/fibers/baton.h"

namespace toolgate::fibers {
namespace {

constexpr size_t kStack = size_t{256} << 10;

// The compiler assumes that std::this_thread::get_id is constant within a function, which is wrong across a wait.
[[gnu::noinline]] std::thread::id ThisThread() {
  asm volatile("");
  return std::this_thread::get_id();
}

// Notes which fibers may continue; the test runs them by hand.
class ByHand final : public FiberScheduler {
 public:
  void Resume(Fiber& fiber) override { ready.push_back(&fiber); }

  std::vector<Fiber*> ready;
};

TEST(FiberTest, RunsItsWorkToTheEnd) {
  ByHand scheduler;
  Fiber fiber(scheduler, kStack);
  int ran = 0;
  fiber.Take([&] {
    EXPECT_EQ(Fiber::Current(), &fiber);
    ++ran;
  });
  EXPECT_EQ(Fiber::Current(), nullptr);
  EXPECT_TRUE(fiber.Run());
  EXPECT_EQ(Fiber::Current(), nullptr);
  EXPECT_EQ(ran, 1);
}

TEST(FiberTest, TakesOnePieceOfWorkAfterAnother) {
  ByHand scheduler;
  Fiber fiber(scheduler, kStack);
  std::string trace;
  for (const char letter : {'a', 'b', 'c'}) {
    fiber.Take([&trace, letter] { trace += letter; });
    EXPECT_TRUE(fiber.Run());
  }
  EXPECT_EQ(trace, "abc");
}

TEST(FiberTest, ItsWorkIsDestroyedWhenItEnds) {
  ByHand scheduler;
  Fiber fiber(scheduler, kStack);
  auto held = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = held;
  fiber.Take([held = std::move(held)] {});
  EXPECT_FALSE(watch.expired());
  EXPECT_TRUE(fiber.Run());
  EXPECT_TRUE(watch.expired());
}

TEST(FiberTest, MayGoWithoutEverHavingRun) {
  ByHand scheduler;
  const Fiber fiber(scheduler, kStack);
}

TEST(FiberTest, WaitsUntilItIsResumed) {
  ByHand scheduler;
  Fiber fiber(scheduler, kStack);
  Baton baton;
  std::string trace;
  fiber.Take([&] {
    trace += "before ";
    baton.Wait();
    trace += "after";
  });
  EXPECT_FALSE(fiber.Run());
  EXPECT_EQ(trace, "before ");
  EXPECT_TRUE(scheduler.ready.empty());
  baton.Post();
  ASSERT_EQ(scheduler.ready.size(), 1);
  EXPECT_EQ(scheduler.ready[0], &fiber);
  EXPECT_TRUE(fiber.Run());
  EXPECT_EQ(trace, "before after");
}

TEST(FiberTest, DoesNotWaitForWhatWasPosted) {
  ByHand scheduler;
  Fiber fiber(scheduler, kStack);
  Baton baton;
  baton.Post();
  fiber.Take([&] { baton.Wait(); });
  EXPECT_TRUE(fiber.Run());
  EXPECT_TRUE(scheduler.ready.empty());
}

TEST(FiberTest, GoesOnAtOnceWhenParkingFails) {
  ByHand scheduler;
  Fiber fiber(scheduler, kStack);
  int parked = 0;
  fiber.Take([&] {
    Fiber::Wait([&](Fiber& self) {
      EXPECT_EQ(&self, &fiber);
      EXPECT_EQ(Fiber::Current(), nullptr) << "the fiber has left the thread";
      ++parked;
      return false;
    });
  });
  EXPECT_TRUE(fiber.Run());
  EXPECT_EQ(parked, 1);
}

TEST(FiberTest, GoesOnOnAnotherThread) {
  ByHand scheduler;
  Fiber fiber(scheduler, kStack);
  Baton baton;
  std::vector<std::thread::id> threads;
  fiber.Take([&] {
    threads.push_back(ThisThread());
    baton.Wait();
    EXPECT_EQ(Fiber::Current(), &fiber);
    threads.push_back(ThisThread());
  });
  EXPECT_FALSE(fiber.Run());
  std::thread([&] {
    baton.Post();
    EXPECT_TRUE(fiber.Run());
  }).join();
  ASSERT_EQ(threads.size(), 2);
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_NE(threads[1], std::this_thread::get_id());
}

TEST(FiberTest, ExceptionsStayOnTheirOwnStack) {
  ByHand scheduler;
  Fiber first(scheduler, kStack);
  Fiber second(scheduler, kStack);
  Baton baton;
  std::string caught;
  const auto work = [&](const char* name, bool waits) {
    try {
      if (waits) baton.Wait();
      throw std::runtime_error(name);
    } catch (const std::runtime_error& error) {
      caught += error.what();
    }
  };
  first.Take([&] { work("first ", true); });
  second.Take([&] { work("second ", false); });
  EXPECT_FALSE(first.Run());
  EXPECT_TRUE(second.Run());
  baton.Post();
  EXPECT_TRUE(first.Run());
  EXPECT_EQ(caught, "second first ");
}

TEST(FiberDeathTest, AStackThatIsTooSmallEndsTheProcessInsteadOfWritingElsewhere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        ByHand scheduler;
        Fiber fiber(scheduler, kStack);
        fiber.Take([] {
          const auto recurse = [&](const auto& self, int level) -> int {
            volatile char frame[1024] = {};
            frame[0] = static_cast<char>(level);
            return level == 0 ? frame[0] : self(self, level - 1) + frame[0];
          };
          recurse(recurse, 1'000'000);
        });
        fiber.Run();
      },
      "");
}

}  // namespace
}  // namespace toolgate::fibers
