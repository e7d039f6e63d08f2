#include "common/json_parser.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate {
namespace {

TEST(JsonParserTest, OnlyAParserOfShortTextsIsKept) {
  simdjson::dom::parser kept;
  std::optional<simdjson::dom::parser> passing;
  const std::string shorter = "\"" + std::string(kMaxTextOfKeptParser - 2, 's') + "\"";
  simdjson::dom::parser& small = ParserFor(shorter, kept, passing);
  EXPECT_EQ(&small, &kept);
  EXPECT_FALSE(small.parse(shorter).error());
  const size_t capacity = kept.capacity();
  const std::string longer = shorter + " ";
  simdjson::dom::parser& large = ParserFor(longer, kept, passing);
  EXPECT_NE(&large, &kept);
  EXPECT_FALSE(large.parse(longer).error());
  EXPECT_EQ(kept.capacity(), capacity);
}

}  // namespace
}  // namespace toolgate
