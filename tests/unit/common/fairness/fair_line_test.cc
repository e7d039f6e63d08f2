#include "common/fairness/fair_line.h"

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace toolgate::fairness {
namespace {

constexpr Party kAnn{"w", "ann"};
constexpr Party kBob{"w", "bob"};
constexpr Party kCat{"w", "cat"};

TEST(FairLineTest, GivesAPlaceThatComesFreeToWhoMayHaveIt) {
  FairLine line(4, {.of_user = 0.75, .of_workspace = 1});
  std::array<FairLine::Account*, 3> taken{};
  for (FairLine::Account*& account : taken) ASSERT_NE(account = line.TryTake(kAnn), nullptr);
  EXPECT_EQ(line.TryTake(kAnn), nullptr);
  FairLine::Waiter of_ann;
  EXPECT_FALSE(line.TakeOrJoin(kAnn, of_ann));
  FairLine::Waiter of_bob;
  EXPECT_TRUE(line.TakeOrJoin(kBob, of_bob)) << "a user who waits at its bound does not hold up the others";
  FairLine::Waiter of_cat;
  EXPECT_FALSE(line.TakeOrJoin(kCat, of_cat));
  EXPECT_EQ(line.waiting(), 2);

  // Ann, who came first, would hold three quarters of more than is left to her.
  line.Release(*taken[0]);
  EXPECT_TRUE(of_cat.came.IsSet());
  EXPECT_FALSE(of_ann.came.IsSet());
  EXPECT_EQ(line.Leave(of_cat), std::nullopt) << "its place has come";
  EXPECT_TRUE(line.Leave(of_ann).has_value());
  EXPECT_EQ(line.taken(), 4);

  for (FairLine::Account* const account : {taken[1], taken[2], of_bob.account, of_cat.account}) {
    line.Release(*account);
  }
  EXPECT_EQ(line.taken(), 0);
  EXPECT_EQ(line.waiting(), 0);
  EXPECT_TRUE(line.HasRoomForAnyone());
}

TEST(FairLineTest, TakesAPlaceBackBeyondTheBound) {
  FairLine line(1, {});
  FairLine::Account* const aside = line.TryTake(kAnn);
  ASSERT_NE(aside, nullptr);
  line.Release(*aside, /*for_good=*/false);
  FairLine::Account* const other = line.TryTake(kBob);
  ASSERT_NE(other, nullptr);
  line.Retake(*aside);
  EXPECT_EQ(line.taken(), 2);
  FairLine::Waiter waiter;
  EXPECT_FALSE(line.TakeOrJoin(kBob, waiter));
  line.Release(*aside);
  EXPECT_FALSE(waiter.came.IsSet());
  line.Release(*other);
  EXPECT_TRUE(waiter.came.IsSet());
  line.Release(*waiter.account);
}

TEST(FairLineTest, HoldsItsBoundUnderThreads) {
  FairLine line(3, {.of_user = 0.75, .of_workspace = 1});
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, user = absl::StrCat("u", t % 3)] {
      for (int i = 0; i < 500; ++i) {
        FairLine::Waiter waiter;
        if (!line.TakeOrJoin({"w", user}, waiter)) {
          while (!waiter.came.IsSet()) waiter.came.WaitAside();
        }
        const int now = ++inside;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        --inside;
        line.Release(*waiter.account);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  EXPECT_EQ(line.taken(), 0);
  EXPECT_EQ(line.waiting(), 0);
}

}  // namespace
}  // namespace toolgate::fairness
