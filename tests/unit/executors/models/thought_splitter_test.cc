#include "executors/models/thought_splitter.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::executors::models {
namespace {

struct Split {
  std::string text;
  std::string thoughts;
  std::string shown;  // All text that was given, also what turned out to be thought.
};

void Take(const std::vector<ThoughtSplitter::Piece>& pieces, Split& split) {
  for (const ThoughtSplitter::Piece& piece : pieces) {
    switch (piece.kind) {
      case ThoughtSplitter::Kind::kText:
        split.text += piece.text;
        split.shown += piece.text;
        break;
      case ThoughtSplitter::Kind::kThought:
        split.thoughts += piece.text;
        break;
      case ThoughtSplitter::Kind::kTextWasThought:
        split.thoughts += split.text;
        split.text.clear();
        break;
    }
  }
}

Split SplitInPieces(std::string_view content, size_t piece, bool holds_text, bool cut = false) {
  ThoughtSplitter splitter(holds_text);
  Split split;
  for (size_t at = 0; at < content.size(); at += piece) Take(splitter.Feed(content.substr(at, piece)), split);
  Take(splitter.Finish(cut), split);
  return split;
}

struct SplitCase {
  const char* name;
  const char* content;
  const char* text;
  const char* thoughts;
};

class ThoughtSplitterTest : public ::testing::TestWithParam<SplitCase> {};

TEST_P(ThoughtSplitterTest, TellsThoughtsFromTextInAnyPieces) {
  const std::string_view content = GetParam().content;
  for (const bool holds_text : {false, true}) {
    for (size_t piece = 1; piece <= std::max<size_t>(content.size(), 1); ++piece) {
      SCOPED_TRACE(piece);
      const Split split = SplitInPieces(content, piece, holds_text);
      EXPECT_EQ(split.text, GetParam().text);
      EXPECT_EQ(split.thoughts, GetParam().thoughts);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Contents, ThoughtSplitterTest,
    ::testing::Values(
        SplitCase{"Nothing", "", "", ""}, SplitCase{"NoTags", " Hello < World > ", " Hello < World > ", ""},
        SplitCase{"ThinkFirst", "<think>Hm.</think>Yes.", "Yes.", "Hm."},
        SplitCase{"WhiteSpaceAround", "\n<think>\nHm.\n</think>\n\nYes.\n", "Yes.\n", "Hm.\n"},
        SplitCase{"Thinking", "<thinking>Hm.</thinking> Yes.", "Yes.", "Hm."},
        SplitCase{"Thought", "<thought>Hm.</thought>Yes.", "Yes.", "Hm."},
        SplitCase{"Capitals", "<THINK>Hm.</Think>Yes.", "Yes.", "Hm."},
        SplitCase{"Mistral", "[THINK]Is a[0] < b?[/THINK]Yes, [this](x).", "Yes, [this](x).", "Is a[0] < b?"},
        SplitCase{"MistralsNameInText", "[think] of [THINKING] as a [/think] tank",
                  "[think] of [THINKING] as a [/think] tank", ""},
        SplitCase{"TagsOfTwoNames", "<think>Hm.</thinking>Yes.", "Yes.", "Hm."},
        SplitCase{"Empty", "<think>\n\n</think>\n\nYes.", "Yes.", ""},
        SplitCase{"NoOpeningTag", "I greet.\n</think>\n\nHello!", "Hello!", "I greet.\n"},
        SplitCase{"NoOpeningTagOnALine", "I greet.</think>Hello!", "Hello!", "I greet."},
        SplitCase{"NoClosingTag", "<think>I wonder", "", "I wonder"},
        SplitCase{"ClosedTwice", "<think>a</think>\n</think>\nb", "b", "a"},
        SplitCase{"NothingBeforeTheClosingTag", "\n</think>\n\nHello!", "Hello!", ""},
        SplitCase{"SeveralBlocks", "<think>a</think>One.\n<think>b</think>\nTwo.", "One.\nTwo.", "ab"},
        SplitCase{"InTheMiddleOfALine", "Hello <think>secret</think> World", "Hello World", "secret"},
        SplitCase{"AMereMention", "Use <think> for thoughts.", "Use <think> for thoughts.", ""},
        SplitCase{"InBackticks", "The `<think>` tag ends with `</think>`.", "The `<think>` tag ends with `</think>`.",
                  ""},
        SplitCase{"InAFence", "```xml\n<think>a</think>\n```\nDone.", "```xml\n<think>a</think>\n```\nDone.", ""},
        SplitCase{"InATildeFence", "~~~\n</think>\n~~~\n", "~~~\n</think>\n~~~\n", ""},
        SplitCase{"FenceInAFence", "````\n```\n<think>\n```\n````\nx", "````\n```\n<think>\n```\n````\nx", ""},
        SplitCase{"AfterAFence", "```\na\n```\n<think>b</think>c", "```\na\n```\nc", "b"},
        SplitCase{"FenceInThoughts", "<think>```\nx</think>Yes.", "Yes.", "```\nx"},
        SplitCase{"FenceAfterThoughts", "<think>a</think>```html\n<think>\n```", "```html\n<think>\n```", "a"},
        SplitCase{"OtherTags", "<thin>a</thin><thinker>b", "<thin>a</thin><thinker>b", ""},
        SplitCase{"HalfATag", "a <thi", "a <thi", ""}),
    [](const auto& info) { return info.param.name; });

TEST(ThoughtSplitterTest, HeldTextIsGivenWhenItIsKnownToBeText) {
  const Split held = SplitInPieces("I greet.</think>Hello!", 3, true);
  EXPECT_EQ(held.shown, "Hello!");
  EXPECT_EQ(SplitInPieces("I greet.</think>Hello!", 3, false).shown, "I greet.Hello!");
  ThoughtSplitter after_tag(true);
  Split split;
  Take(after_tag.Feed("<think>a</think>One"), split);
  EXPECT_EQ(split.shown, "One");
}

TEST(ThoughtSplitterTest, TextIsGivenAsItComes) {
  ThoughtSplitter splitter(false);
  Split split;
  Take(splitter.Feed("One <"), split);
  EXPECT_EQ(split.shown, "One ");
  Take(splitter.Feed(" Two"), split);
  EXPECT_EQ(split.shown, "One < Two");
}

TEST(ThoughtSplitterTest, AnAnswerThatWasCutInItsThoughtsHasNoText) {
  EXPECT_EQ(SplitInPieces("Well, <think>I won", 4, false, /*cut=*/true).text, "Well, ");
  EXPECT_EQ(SplitInPieces("Well, <think>I won", 4, false, /*cut=*/true).thoughts, "I won");
}

TEST(ThoughtSplitterTest, SaysWhetherAModelLeavesOutTheOpeningTag) {
  ThoughtSplitter unopened(false);
  unopened.Feed("a</think>b");
  EXPECT_TRUE(unopened.saw_unopened());
  ThoughtSplitter opened(false);
  opened.Feed("<think>a</think>b");
  EXPECT_FALSE(opened.saw_unopened());
  ThoughtSplitter left_over(false);
  left_over.Feed("</think>b");
  EXPECT_FALSE(left_over.saw_unopened());
}

// More than could be moved for each tag.
TEST(ThoughtSplitterTest, ReadsManyTagsInOnePiece) {
  constexpr size_t kBytes = size_t{8} << 20;
  for (const std::string_view unit : {"</think>", "<think>a</think>", "<think>\n"}) {
    std::string content;
    content.reserve(kBytes + unit.size());
    while (content.size() < kBytes) content += unit;
    ThoughtSplitter splitter(false);
    Split split;
    Take(splitter.Feed(content), split);
    Take(splitter.Feed("\n</think>\nb"), split);
    Take(splitter.Finish(/*cut=*/false), split);
    EXPECT_EQ(split.text, "b") << unit;
  }
}

TEST(ThoughtSplitterTest, CleansWholeTexts) {
  EXPECT_EQ(WithoutThoughts("<think>a</think>b"), "b");
  EXPECT_EQ(WithoutThoughts("a</think>b"), "b");
  EXPECT_EQ(WithoutThoughts("plain"), "plain");
}

}  // namespace
}  // namespace toolgate::executors::models
