#include "executors/planner/texts.h"

#include <string>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace toolgate::executors::planner {
namespace {

TEST(TextsTest, OneItemMayShowAllManyShareAndEachHasAMinimum) {
  EXPECT_EQ(TextShare(0), 100'000u);
  EXPECT_EQ(TextShare(1), 100'000u);
  EXPECT_EQ(TextShare(10), 10'000u);
  EXPECT_EQ(TextShare(1'000), 300u);
}

TEST(TextsTest, ATextWithinItsShareIsWholeAndUnmarked) {
  Json item = Json::object();
  PutText(item, "body", "äöü", 3);
  EXPECT_EQ(item, Json({{"body", "äöü"}}));
}

TEST(TextsTest, ALongerTextIsCutBetweenCharactersAndMarked) {
  Json item = Json::object();
  PutText(item, "body", "äöüß", 3);
  EXPECT_EQ(item, Json({{"body", "äöü…"}, {"bodyTruncated", true}}));
}

TEST(TextsTest, TimesAreRfc3339InUtc) {
  EXPECT_EQ(TimeText(absl::FromUnixMillis(1772442000250)), "2026-03-02T09:00:00.250Z");
}

}  // namespace
}  // namespace toolgate::executors::planner
