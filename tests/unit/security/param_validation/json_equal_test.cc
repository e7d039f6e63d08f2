#include "security/param_validation/json_equal.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::security::param_validation {
namespace {

TEST(JsonEqualTest, TellsValuesApartAndKeepsEqualOnesTogether) {
  struct Row {
    std::string_view left, right;
    bool equal;
  };
  for (const Row& row : std::vector<Row>{{"1", "1.0", true},
                                         {"0", "-0.0", true},
                                         {"0", "false", false},
                                         {"null", "false", false},
                                         {R"("1")", "1", false},
                                         {R"({"a":1,"b":2})", R"({"b":2,"a":1.0})", true},
                                         {R"({"a":1})", R"({"b":1})", false},
                                         {R"({"a":1})", R"({"a":1,"b":1})", false},
                                         {"[1,2]", "[2,1]", false},
                                         {"[[]]", "[{}]", false},
                                         {R"("é")", R"("\u00e9")", true}}) {
    const Json left = Json::parse(row.left);
    const Json right = Json::parse(row.right);
    EXPECT_EQ(JsonEqual(left, right), row.equal) << row.left << " " << row.right;
    EXPECT_EQ(JsonEqual(right, left), row.equal) << row.left << " " << row.right;
    if (row.equal) {
      EXPECT_EQ(JsonHash(left), JsonHash(right)) << row.left << " " << row.right;
    }
  }
}

TEST(JsonEqualTest, ComparesLargeObjectsInAnyOrder) {
  Json left = Json::object();
  Json right = Json::object();
  for (int i = 0; i < 100; ++i) left["k" + std::to_string(i)] = i;
  for (int i = 99; i >= 0; --i) right["k" + std::to_string(i)] = i;
  EXPECT_TRUE(JsonEqual(left, right));
  right["k50"] = -1;
  EXPECT_FALSE(JsonEqual(left, right));
}

TEST(FindEqualItemsTest, NamesThePair) {
  EXPECT_EQ(FindEqualItems(Json::parse("[1,2,3]")), std::nullopt);
  EXPECT_EQ(FindEqualItems(Json::parse("[1,2,1.0]")), std::pair(size_t{0}, size_t{2}));
  EXPECT_EQ(FindEqualItems(Json::parse("[0,1,2,3,4,5,6,7,8,9,{\"a\":1},[],{\"a\":1}]")),
            std::pair(size_t{10}, size_t{12}));
}

}  // namespace
}  // namespace toolgate::security::param_validation
