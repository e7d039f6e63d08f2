#include "executors/models/object_end.h"

#include <string_view>

#include "gtest/gtest.h"

namespace toolgate::executors::models {
namespace {

bool Reached(std::string_view text) {
  ObjectEnd whole;
  whole.Feed(text);
  ObjectEnd pieces;
  for (size_t i = 0; i < text.size(); ++i) pieces.Feed(text.substr(i, 1));
  EXPECT_EQ(whole.reached(), pieces.reached()) << text;
  return whole.reached();
}

TEST(ObjectEndTest, IsReachedWhereTheObjectCloses) {
  for (const char* text : {"{}", " {} \n", R"({"a":{"b":[{}]}})", R"({"a":"}"})", R"({"a":"\"}"})", R"({"a":"\\"})",
                           R"({"\u007d":"[{"})"}) {
    EXPECT_TRUE(Reached(text)) << text;
  }
}

TEST(ObjectEndTest, IsNotReachedBeforeNorBehindIt) {
  for (const char* text : {"", " ", "{", R"({"a":{})", R"({"a":"})", R"({"a":"\"})", R"({"a":"\\\"})", "{}{}", "{} x",
                           "[]", "[{}]", "1", "null", R"("{}")", "}", "x{}"}) {
    EXPECT_FALSE(Reached(text)) << text;
  }
}

}  // namespace
}  // namespace toolgate::executors::models
