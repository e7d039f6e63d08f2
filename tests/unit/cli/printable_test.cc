#include "cli/printable.h"

#include <gtest/gtest.h>

#include <string>

#include "cli/table.h"
#include "tests/support/command_run.h"
#include "tests/support/fake_clock.h"

namespace toolgate::cli {
namespace {

struct EscapeRow {
  const char* name;
  std::string text;
  std::string line;
};

class PrintableTest : public ::testing::TestWithParam<EscapeRow> {};

TEST_P(PrintableTest, NeverLetsThroughWhatATerminalObeys) {
  EXPECT_EQ(PrintableLine(GetParam().text), GetParam().line);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PrintableTest,
    ::testing::Values(EscapeRow{"PlainAscii", "Buy milk", "Buy milk"},
                      EscapeRow{"OtherScripts", "Grüße, 日本語, नमस्ते", "Grüße, 日本語, नमस्ते"},
                      EscapeRow{"Emoji", "👍🏽 👨‍👩‍👧", "👍🏽 👨‍👩‍👧"},
                      EscapeRow{"ColourSequence", "\x1b[31mred", "\\u{1b}[31mred"},
                      EscapeRow{"WindowTitle", "\x1b]0;owned\x07", "\\u{1b}]0;owned\\u{7}"},
                      EscapeRow{"C1Csi",
                                "\xC2\x9B"
                                "31m",
                                "\\u{9b}31m"},
                      EscapeRow{"CarriageReturn", "safe\rgone", "safe\\u{d}gone"},
                      EscapeRow{"LineFeedAndTab", "a\nb\tc", "a\\nb\\tc"}, EscapeRow{"Delete", "a\x7f", "a\\u{7f}"},
                      EscapeRow{"Nul", std::string("a\0b", 3), "a\\u{0}b"},
                      EscapeRow{"RightToLeftOverride", "gpj.\u202Eexe", "gpj.\\u{202e}exe"},
                      EscapeRow{"ZeroWidthSpace", "a\u200Bb", "a\\u{200b}b"},
                      EscapeRow{"LineSeparator", "a\u2028b", "a\\u{2028}b"},
                      EscapeRow{"LoneByte",
                                "a\xFF"
                                "b",
                                "a\xEF\xBF\xBD"
                                "b"},
                      EscapeRow{"TruncatedSequence", "a\xE2\x82", "a\xEF\xBF\xBD\xEF\xBF\xBD"}),
    [](const auto& row) { return row.param.name; });

TEST(PrintableTextTest, KeepsLinesAndTabs) { EXPECT_EQ(PrintableText("a\n\tb\x1b"), "a\n\tb\\u{1b}"); }

TEST(PrintableJsonTest, IsTheSameValueWithControlsEscaped) {
  const std::string text = PrintableJson({{"k", "\x1b \x7f \xC2\x9B \u202E \U000E0041"}});
  EXPECT_EQ(text, R"({"k":"\u001b \u007f \u009b \u202e \udb40\udc41"})");
  EXPECT_EQ(*ParseJson(text), Json({{"k", "\x1b \x7f \xC2\x9B \u202E \U000E0041"}}));
}

TEST(CutToWidthTest, CountsColumnsAndNotBytes) {
  EXPECT_EQ(DisplayWidth("日本"), 4);
  EXPECT_EQ(CutToWidth("日本語", 5), "日本…");
  EXPECT_EQ(CutToWidth("Grüße", 5), "Grüße");
  EXPECT_EQ(CutToWidth("abcdef", 3), "ab…");
  EXPECT_EQ(CutToWidth("abcdef", 0), "");
}

TEST(TableTest, AlignsColumnsAndEscapesCells) {
  const testing::FakeClock clock;
  std::stringstream stream;
  const Terminal terminal{.in = stream, .out = stream, .err = stream, .environment = nullptr, .clock = clock};
  Table table({"A", "WHAT"});
  table.AddRow({"日本", "one"});
  table.AddRow({"x", "two\x1b"});
  EXPECT_EQ(table.Render(terminal), "A     WHAT\n日本  one\nx     two\\u{1b}\n");
}

TEST(TableTest, CutsTheLastColumnToTheTerminal) {
  const testing::FakeClock clock;
  std::stringstream stream;
  const Terminal terminal{.in = stream,
                          .out = stream,
                          .err = stream,
                          .out_is_terminal = true,
                          .width = 20,
                          .environment = [](std::string_view) { return "1"; },  // NO_COLOR.
                          .clock = clock};
  Table table({"A", "WHAT"});
  table.AddRow({"x", std::string(40, 'y')});
  EXPECT_EQ(table.Render(terminal), "A  WHAT\nx  " + std::string(16, 'y') + "…\n");
}

}  // namespace
}  // namespace toolgate::cli
