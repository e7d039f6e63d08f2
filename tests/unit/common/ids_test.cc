#include "common/ids.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace toolgate {
namespace {

TEST(IdSourceTest, IdsAreUniqueAndSortByTime) {
  const absl::Time now = absl::FromUnixMillis(1772442000123);
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(IdSource::Real().NewId(now));
  EXPECT_EQ(ids.size(), 1000u);
  EXPECT_LT(*ids.rbegin(), IdSource::Real().NewId(now + absl::Milliseconds(1)));
}

TEST(IdSourceTest, AnIdTellsItsTime) {
  const absl::Time now = absl::FromUnixMillis(1772442000123);
  EXPECT_EQ(TimeOfId(IdSource::Real().NewId(now)), now);
  EXPECT_FALSE(TimeOfId("page-123").has_value());
  EXPECT_FALSE(TimeOfId("01arz3ndektsv4rrffq69g5fau").has_value());  // 'u' is not a digit
}

}  // namespace
}  // namespace toolgate
