#include "services/api/page.h"

#include <string>

#include "gtest/gtest.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::api {
namespace {

v1::UndoEntry Row(size_t bytes) {
  v1::UndoEntry row;
  row.set_description(std::string(bytes, 'x'));
  return row;
}

TEST(PageTest, TakesSoManyRows) {
  Page page(2);
  EXPECT_TRUE(page.Take(Row(10)));
  EXPECT_TRUE(page.Take(Row(10)));
  EXPECT_FALSE(page.Take(Row(10)));
}

TEST(PageTest, EndsBeforeARowThatIsTooLongForIt) {
  Page page(100);
  EXPECT_TRUE(page.Take(Row(kMaxPageBytes / 2)));
  EXPECT_FALSE(page.Take(Row(kMaxPageBytes / 2)));
  EXPECT_TRUE(page.Take(Row(kMaxPageBytes / 2 - 100)));
}

TEST(PageTest, TakesTheFirstRowHoweverLongItIs) {
  Page page(100);
  EXPECT_TRUE(page.Take(Row(kMaxPageBytes + 1)));
  EXPECT_FALSE(page.Take(Row(1)));
}

}  // namespace
}  // namespace toolgate::services::api
