#include "storage/image.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::storage {
namespace {

using Text = Image<std::string>;

TEST(ImageTest, IsEmptyOrHasAValue) {
  EXPECT_FALSE(Text().has_value());
  EXPECT_EQ(Text(std::nullopt), std::nullopt);
  EXPECT_EQ(Text(std::optional<std::string>()), std::nullopt);
  const Text text(std::string("a"));
  EXPECT_TRUE(text);
  EXPECT_EQ(*text, "a");
  EXPECT_EQ(text->size(), 1u);
}

TEST(ImageTest, CopiesShareTheValue) {
  const Text text(std::string("a"));
  const Text copy = text;
  EXPECT_EQ(&*copy, &*text);
}

TEST(ImageTest, AChangeIsSeenByOneAlone) {
  Text text(std::string("a"));
  const Text copy = text;
  text.Mutable() = "b";
  EXPECT_EQ(*copy, "a");
  EXPECT_EQ(*text, "b");
}

TEST(ImageTest, WhatIsNotSharedIsChangedInPlace) {
  Text text(std::string("a"));
  const std::string* const value = &*text;
  { const Text copy = text; }
  text.Mutable() = "b";
  EXPECT_EQ(&*text, value);
}

}  // namespace
}  // namespace toolgate::storage
