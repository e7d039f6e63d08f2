#include "executors/directory/place.h"

#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "tests/unit/executors/directory/directory_fixture.h"

namespace toolgate::executors::directory {
namespace {

using PlaceTest = DirectoryFixture;

TEST_F(PlaceTest, IsMadeOnceAndStays) {
  EXPECT_EQ(FindPlace(*directory_).value(), "");
  const std::string place = MakePlace(*directory_).value();
  EXPECT_EQ(place.size(), 32u);
  EXPECT_EQ(MakePlace(*directory_).value(), place);
  Open();
  EXPECT_EQ(FindPlace(*directory_).value(), place);
}

TEST_F(PlaceTest, AHalfWrittenOneIsMadeAnew) {
  ASSERT_TRUE(MakePlace(*directory_).ok());
  for (const char* torn : {"", "0123", "0123456789abcdef0123456789abcdeg", "0123456789abcdef0123456789abcdef0"}) {
    Put(".toolgate/place", torn);
    EXPECT_EQ(FindPlace(*directory_).value_or("(error)"), "") << torn;
    EXPECT_EQ(MakePlace(*directory_).value().size(), 32u) << torn;
  }
}

TEST_F(PlaceTest, ALinkIsNotFollowed) {
  ASSERT_TRUE(MakePlace(*directory_).ok());
  std::filesystem::rename(PathTo(".toolgate/place"), PathTo(".toolgate/other"));
  Link("other", ".toolgate/place");
  EXPECT_FALSE(FindPlace(*directory_).ok());
}

TEST_F(PlaceTest, WhatHoldsNoPlaceIsTakenForHere) {
  EXPECT_TRUE(CheckPlaceForRecovery(*directory_, "").ok());
  EXPECT_TRUE(CheckPlaceForUndo(*directory_, "").ok());
  EXPECT_FALSE(CheckPlaceForRecovery(*directory_, "0123456789abcdef0123456789abcdef").ok()) << "there is none here";
  const std::string place = MakePlace(*directory_).value();
  EXPECT_TRUE(CheckPlaceForRecovery(*directory_, place).ok());
  EXPECT_TRUE(CheckPlaceForUndo(*directory_, place).ok());
}

}  // namespace
}  // namespace toolgate::executors::directory
