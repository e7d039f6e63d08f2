#include "executors/code_graph/index/language.h"

#include "gtest/gtest.h"

namespace toolgate::executors::code_graph::index {
namespace {

TEST(LanguageTest, KnowsGroupsAndKeywords) {
  EXPECT_EQ(FindLanguage("C").group, FindLanguage("C++").group);
  EXPECT_NE(FindLanguage("C").group, FindLanguage("Python").group);
  EXPECT_TRUE(FindLanguage("C++").IsKeyword("template"));
  EXPECT_FALSE(FindLanguage("Python").IsKeyword("template"));
}

TEST(LanguageTest, HasNoRulesForOthers) {
  const Language language = FindLanguage("Cobol");
  EXPECT_EQ(language.name, "Cobol");
  EXPECT_EQ(language.lex, nullptr);
  EXPECT_FALSE(language.IsKeyword("if"));
}

TEST(LanguageTest, TellsALanguageByThePath) {
  EXPECT_EQ(LanguageNameOf("a/b.cc"), "C++");
  EXPECT_EQ(LanguageNameOf("a.py/CMakeLists.txt"), "CMake");
  EXPECT_EQ(LanguageNameOf("a/Makefile"), "Make");
  EXPECT_EQ(LanguageNameOf("a.cc/README"), "");
  EXPECT_EQ(LanguageNameOf("cc"), "");
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
