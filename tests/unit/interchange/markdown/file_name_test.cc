#include "interchange/markdown/file_name.h"

#include <gtest/gtest.h>

#include <string>

namespace toolgate::interchange::markdown {
namespace {

struct NameRow {
  const char* name;
  std::string title;
  std::string file;
};

class SafeFileNameTest : public ::testing::TestWithParam<NameRow> {};

TEST_P(SafeFileNameTest, IsMade) { EXPECT_EQ(SafeFileName(GetParam().title), GetParam().file); }

INSTANTIATE_TEST_SUITE_P(
    Rows, SafeFileNameTest,
    ::testing::Values(NameRow{"Ordinary", "Plans for März (v1.2)", "Plans for März (v1.2)"},
                      NameRow{"Separators", "a/b\\c", "a-b-c"}, NameRow{"Up", "../../etc/passwd", "-..-etc-passwd"},
                      NameRow{"Dots", "..", "Untitled"}, NameRow{"Hidden", ".profile", "profile"},
                      NameRow{"EndsInDots", "wait... ", "wait"}, NameRow{"Windows", "a: \"b\" <c>|?*", "a- -b- -c----"},
                      NameRow{"Device", "con", "_con"}, NameRow{"DeviceWithEnding", "Aux.tar.gz", "_Aux.tar.gz"},
                      NameRow{"NumberedDevice", "LPT1", "_LPT1"}, NameRow{"NoDevice", "console", "console"},
                      NameRow{"Control", "a\x01\x1b[b\tc\x7f", "a[b c"}, NameRow{"Nul", std::string("a\0b", 3), "ab"},
                      NameRow{"C1",
                              "a\xC2\x9B"
                              "b",
                              "ab"},
                      NameRow{"Direction",
                              "a\xE2\x80\xAE"
                              "b",
                              "ab"},
                      NameRow{"IllFormed",
                              "a\xFF"
                              "b",
                              "ab"},
                      NameRow{"Blanks", "  a   b  ", "a b"}, NameRow{"Empty", "", "Untitled"},
                      NameRow{"OfMarkdown", "README.md", "README-md"},
                      NameRow{"Long", std::string(119, 'x') + "äy", std::string(119, 'x')},
                      NameRow{"LongWithBlank", std::string(119, 'x') + " y", std::string(119, 'x')}),
    [](const auto& row) { return row.param.name; });

TEST(FileNamesTest, AreUniqueWithoutRegardToCase) {
  FileNames names;
  EXPECT_EQ(names.Take("Plan"), "Plan");
  EXPECT_EQ(names.Take("plan"), "plan 2");
  EXPECT_EQ(names.Take("PLAN"), "PLAN 3");
  EXPECT_EQ(names.Take("Plan 2"), "Plan 2 2");
  EXPECT_EQ(names.Take("\xC3\xA4"), "\xC3\xA4");
  EXPECT_EQ(names.Take("a\xCC\x88"), "a\xCC\x88 2");  // The same letter, put together.
  const std::string longest(120, 'x');
  EXPECT_EQ(names.Take(longest), longest);
  EXPECT_EQ(names.Take(longest), std::string(118, 'x') + " 2");
}

}  // namespace
}  // namespace toolgate::interchange::markdown
