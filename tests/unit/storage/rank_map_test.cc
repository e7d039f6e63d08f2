#include "storage/rank_map.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "storage/rank.h"

namespace toolgate::storage {
namespace {

TEST(RankMapTest, RemembersARankWithItsGeneration) {
  const std::string remembered = RememberRank("KzK", 12);
  EXPECT_EQ(remembered, "KzK!12");
  EXPECT_TRUE(HasGeneration(remembered));
  EXPECT_EQ(RankOf(remembered), "KzK");
  EXPECT_EQ(GenerationOf(remembered), 12);
  EXPECT_FALSE(HasGeneration("KzK"));
  EXPECT_EQ(RankOf("KzK"), "KzK");
  EXPECT_EQ(GenerationOf("KzK"), 0);
}

TEST(RankMapTest, RanksThatStoodInTheStretchGetTheirNewNames) {
  const RankMap map("K", "L", {{"KKKK", "KB"}, {"KKKL", "KC"}});
  EXPECT_EQ(map.Translate("KKKK"), "KB");
  EXPECT_EQ(map.Translate("KKKL"), "KC");
}

TEST(RankMapTest, RanksOutsideOfTheStretchStay) {
  const RankMap map("K", "L", {{"KKKK", "KB"}});
  for (const char* rank : {"1", "JzzzK", "K", "L", "LK", "zz1"}) EXPECT_EQ(map.Translate(rank), rank);
}

TEST(RankMapTest, KeepsTheOrderOfEveryRankAlsoOfThoseNoBlockHad) {
  std::mt19937 random(20261122);
  for (int round = 0; round < 50; ++round) {
    // Many ranks close together, some of which are in the stretch, while the others are only remembered.
    std::vector<std::string> all = SpreadRanks("", "", 4);
    for (int i = 0; i < 200; ++i) {
      const size_t place = 1 + (random() % 3 == 0 ? all.size() / 2 : random() % (all.size() - 1));
      all.insert(all.begin() + static_cast<ptrdiff_t>(place), RankBetween(all[place - 1], all[place]));
    }
    const size_t begin = random() % 50;
    const size_t end = 100 + random() % 50;
    std::vector<std::string> in_stretch;
    for (size_t i = begin + 1; i < end; ++i) {
      if (random() % 2 == 0) in_stretch.push_back(all[i]);
    }
    const std::vector<std::string> names = SpreadRanks(all[begin], all[end], in_stretch.size());
    std::vector<RankMap::Place> places;
    for (size_t i = 0; i < names.size(); ++i) places.push_back({in_stretch[i], names[i]});
    const RankMap map(all[begin], all[end], places);
    std::string last;
    for (const std::string& rank : all) {
      const std::string translated = map.Translate(rank);
      ASSERT_LT(last, translated);
      ASSERT_NE(translated.back(), '0');
      last = translated;
    }
  }
}

TEST(RankMapTest, AStretchUpToTheEndsMapsEverything) {
  const RankMap map("", "", {{"KKKK", "K"}, {"KKKL", "L"}});
  std::string last;
  for (const char* rank : {"1", "KKK", "KKKK", "KKKKK", "KKKL", "z"}) {
    const std::string translated = map.Translate(rank);
    EXPECT_LT(last, translated) << rank;
    last = translated;
  }
}

TEST(RankMapTest, ComesBackFromItsText) {
  const RankMap map("K", "", {{"KKKK", "KB"}, {"KKKL", "KC"}});
  const absl::StatusOr<RankMap> parsed = RankMap::Parse(map.Serialize());
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  for (const char* rank : {"1", "K", "KKKK", "KKKKK", "KKKL", "z"}) {
    EXPECT_EQ(parsed->Translate(rank), map.Translate(rank));
  }
}

TEST(RankMapTest, TextThatIsNoMapIsDataLoss) {
  for (const char* text : {"", "[]", "{}", R"({"before":"","after":""})", R"({"before":1,"after":"","places":[]})",
                           R"({"before":"","after":"","places":["K"]})", R"({"before":"","after":"","places":["K",1]})",
                           R"({"before":"","after":"","places":{"a":"K","b":"L"}})"}) {
    EXPECT_EQ(RankMap::Parse(text).status().code(), absl::StatusCode::kDataLoss) << text;
  }
}

}  // namespace
}  // namespace toolgate::storage
