#include "storage/rank.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::storage {
namespace {

TEST(RankTest, AppendingAHundredThousandSiblingsKeepsRanksShortAndInOrder) {
  std::string last;
  size_t longest = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string next = RankBetween(last, "");
    ASSERT_LT(last, next);
    longest = std::max(longest, next.size());
    last = std::move(next);
  }
  EXPECT_LE(longest, 5u);
}

TEST(RankTest, PrependingAHundredThousandSiblingsKeepsRanksShortAndInOrder) {
  std::string first = RankBetween("", "");
  size_t longest = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string next = RankBetween("", first);
    ASSERT_LT(next, first);
    ASSERT_FALSE(next.empty());
    longest = std::max(longest, next.size());
    first = std::move(next);
  }
  EXPECT_LE(longest, 5u);
}

TEST(RankTest, InsertingAlwaysAtOnePlaceGrowsSlowly) {
  for (const bool ascending : {true, false}) {
    std::string low = RankBetween("", "");
    std::string high = RankBetween(low, "");
    for (int i = 0; i < 10'000; ++i) {
      const std::string middle = RankBetween(low, high);
      ASSERT_LT(low, middle);
      ASSERT_LT(middle, high);
      ASSERT_LE(middle.size(), 12u);
      (ascending ? low : high) = middle;
    }
  }
}

TEST(RankTest, ThereIsAlwaysARankBetweenTwoOthersWhateverCameBefore) {
  std::mt19937 random(20261121);
  std::vector<std::string> ranks;
  for (int i = 0; i < 4'000; ++i) {
    // Near the ends and near one place more often than elsewhere; sometimes removes a rank.
    const size_t choice = random() % 10;
    size_t place = choice < 3 ? 0 : choice < 6 ? ranks.size() : random() % (ranks.size() + 1);
    if (choice == 9) place = std::min<size_t>(ranks.size(), 7);
    const std::string before = place == 0 ? "" : ranks[place - 1];
    const std::string after = place == ranks.size() ? "" : ranks[place];
    const std::string rank = RankBetween(before, after);
    ASSERT_FALSE(rank.empty());
    ASSERT_LT(before, rank);
    if (!after.empty()) {
      ASSERT_LT(rank, after);
    }
    ASSERT_NE(rank.back(), '0') << "no rank could come between it and the rank without the zero";
    ranks.insert(ranks.begin() + static_cast<ptrdiff_t>(place), rank);
    if (random() % 5 == 0) ranks.erase(ranks.begin() + static_cast<ptrdiff_t>(random() % ranks.size()));
  }
}

TEST(RankTest, HalvingAGapForEverStaysInOrder) {
  std::mt19937 random(7);
  std::string low = RankBetween("", "");
  std::string high = RankBetween(low, "");
  for (int i = 0; i < 2'000; ++i) {
    const std::string middle = RankBetween(low, high);
    ASSERT_LT(low, middle);
    ASSERT_LT(middle, high);
    (random() % 2 == 0 ? low : high) = middle;
  }
}

TEST(RankTest, SpreadRanksAreShortAndInOrderBetweenAnyBounds) {
  struct Bounds {
    const char* before;
    const char* after;
  };
  for (const auto& [before, after] : {Bounds{"", ""}, Bounds{"K", ""}, Bounds{"", "K"}, Bounds{"K", "L"},
                                      Bounds{"K", "K1"}, Bounds{"Kzzzz", "L"}, Bounds{"1", "2"}, Bounds{"", "1"}}) {
    for (const size_t count : {0u, 1u, 2u, 7u, 1'000u}) {
      const std::vector<std::string> ranks = SpreadRanks(before, after, count);
      ASSERT_EQ(ranks.size(), count);
      std::string last = before;
      for (const std::string& rank : ranks) {
        ASSERT_LT(last, rank);
        ASSERT_LE(rank.size(), kShortRankLength);
        ASSERT_NE(rank.back(), '0');
        last = rank;
      }
      if (count > 0 && *after != 0) {
        ASSERT_LT(last, after);
      }
    }
  }
}

TEST(RankTest, MovesAtRandomKeepRanksFarBelowTheLimit) {
  std::mt19937 random(20261122);
  std::vector<std::string> ranks = SpreadRanks("", "", 1'000);
  for (int i = 0; i < 10'000; ++i) {
    ranks.erase(ranks.begin() + static_cast<ptrdiff_t>(random() % ranks.size()));
    const size_t place = random() % (ranks.size() + 1);
    const std::string rank = RankBetween(place == 0 ? "" : ranks[place - 1], place == ranks.size() ? "" : ranks[place]);
    ASSERT_LE(rank.size(), kMaxRankLength / 2);
    ranks.insert(ranks.begin() + static_cast<ptrdiff_t>(place), rank);
  }
}

}  // namespace
}  // namespace toolgate::storage
