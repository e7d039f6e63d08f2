#include "executors/artifacts/checks/mermaid/front_matter.h"

#include "gtest/gtest.h"

namespace toolgate::executors::artifacts::checks::mermaid {
namespace {

TEST(FrontMatterTest, TakesPlainMappings) {
  EXPECT_TRUE(IsPlainYaml("title: My diagram\nconfig:\n  theme: forest\n  flowchart:\n    curve: linear\n"));
  EXPECT_TRUE(IsPlainYaml("  title: 'It: is'\n"));
}

TEST(FrontMatterTest, DoubtsWhatReadersMayRefuse) {
  EXPECT_FALSE(IsPlainYaml(""));
  EXPECT_FALSE(IsPlainYaml("title: My: diagram\n"));
  EXPECT_FALSE(IsPlainYaml("title: a\ntitle: b\n"));
  EXPECT_FALSE(IsPlainYaml("title: a\n  theme: b\n"));
  EXPECT_FALSE(IsPlainYaml("config:\n    theme: a\n  look: b\n"));
  EXPECT_FALSE(IsPlainYaml("title: [a\n"));
}

TEST(FrontMatterTest, TakesColoursInHexadecimal) {
  EXPECT_TRUE(HasPlainTheme("theme: base\n"));
  EXPECT_TRUE(HasPlainTheme("%%{init: {'themeVariables': {'primaryColor': '#ff8000'}}}%%"));
  EXPECT_FALSE(HasPlainTheme("%%{init: {'themeVariables': {'primaryColor': '#nothing'}}}%%"));
}

}  // namespace
}  // namespace toolgate::executors::artifacts::checks::mermaid
