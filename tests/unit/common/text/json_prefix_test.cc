#include "common/text/json_prefix.h"

#include <string>

#include "common/json.h"
#include "gtest/gtest.h"

namespace toolgate::text {
namespace {

TEST(JsonPrefixTest, TakesAsMuchAsHasRoomOnceItIsEscaped) {
  const std::string text = "a\"\\é€😀\n\x01z";
  for (size_t room = 0; room < 40; ++room) {
    const size_t bytes = JsonPrefix(text, room);
    EXPECT_LE(DumpJson(Json(text.substr(0, bytes))).size(), room + 2) << room;
    EXPECT_TRUE(StartsCharacter(std::string_view(text).substr(bytes))) << room;
    if (bytes < text.size()) {
      size_t next = bytes + 1;
      while (!StartsCharacter(std::string_view(text).substr(next))) ++next;
      // Control characters take up to six bytes; some are written shorter.
      EXPECT_GT(DumpJson(Json(text.substr(0, next))).size() + 4, room + 2) << room;
    }
  }
  EXPECT_EQ(JsonPrefix(text, 100), text.size());
}

TEST(JsonPrefixTest, IllFormedBytesCountAsTheirReplacement) {
  EXPECT_EQ(JsonPrefix("\xff\xff", 5), 1u);
  EXPECT_EQ(JsonPrefix("\xe2\x82", 5), 1u);
}

struct PieceRow {
  const char* name;
  std::string piece;
  std::string whole;
};

TEST(WholeCharactersTest, DropsOnlyACharacterThatIsCutThrough) {
  for (const PieceRow& row : {
           PieceRow{"Empty", "", ""},
           PieceRow{"Ascii", "abc", "abc"},
           PieceRow{"EndsWithAWholeOne", "ab€", "ab€"},
           PieceRow{"CutAfterTheLead", "ab\xe2", "ab"},
           PieceRow{"CutBeforeTheLastByte", "ab\xe2\x82", "ab"},
           PieceRow{"CutInAFourByteOne", "€\xf0\x9f\x98", "€"},
           PieceRow{"TwoByteOne", "é\xc3", "é"},
       }) {
    EXPECT_EQ(WholeCharacters(row.piece), row.whole) << row.name;
  }
}

TEST(StartsCharacterTest, TellsAContinuationByte) {
  EXPECT_TRUE(StartsCharacter(""));
  EXPECT_TRUE(StartsCharacter("a"));
  EXPECT_TRUE(StartsCharacter("€"));
  EXPECT_FALSE(StartsCharacter(std::string_view("€").substr(1)));
}

}  // namespace
}  // namespace toolgate::text
