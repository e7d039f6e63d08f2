#include "common/text/fold_case.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::text {
namespace {

TEST(FoldCaseTest, TextsThatDifferInCaseFoldAlike) {
  EXPECT_EQ(FoldCase("Work"), "work");
  EXPECT_EQ(FoldCase("ÜBUNG"), FoldCase("übung"));
  EXPECT_EQ(FoldCase("ΣΊΣΥΦΟΣ"), FoldCase("σίσυφος"));
  EXPECT_EQ(FoldCase("u\u0308bung"), FoldCase("\u00fcbung")) << "an accent written apart";
  EXPECT_NE(FoldCase("Ubung"), FoldCase("Übung"));
}

TEST(FoldCaseTest, FoldMarksDropsAccentsToo) {
  EXPECT_EQ(FoldMarks("Résumé"), "resume");
  EXPECT_EQ(FoldMarks("Ubung"), FoldMarks("Übung"));
}

TEST(FoldCaseTest, IllFormedTextKeepsItsBytes) {
  EXPECT_EQ(FoldCase("A\xff"), "a\xff");
  EXPECT_EQ(FoldMarks("A\xc3"), "a\xc3");
}

TEST(FoldCaseTest, EqualFoldedAgreesWithFoldCase) {
  EXPECT_TRUE(EqualFolded("work", "WORK"));
  EXPECT_TRUE(EqualFolded("ÜBUNG", "übung"));
  EXPECT_TRUE(EqualFolded("", ""));
  EXPECT_FALSE(EqualFolded("work", "works"));
  EXPECT_FALSE(EqualFolded("ubung", "übung"));
  EXPECT_TRUE(EqualFolded("\xe2\x84\xaa", "k")) << "the Kelvin sign is a K";
}

}  // namespace
}  // namespace toolgate::text
