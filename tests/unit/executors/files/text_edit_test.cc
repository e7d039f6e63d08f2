#include "executors/files/text_edit.h"

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_replace.h"
#include "common/text/utf8.h"
#include "gtest/gtest.h"

namespace toolgate::executors::files {
namespace {

std::string Random(std::mt19937& random, const std::vector<std::string>& parts, size_t most) {
  std::string text;
  for (size_t left = random() % (most + 1); left > 0; --left) text += parts[random() % parts.size()];
  return text;
}

std::string BytesOf(const DecodedText& text) { return EncodeText(text.text, text.encoding, text.strays).value_or("?"); }

// The bytes of the file's text from `begin` to `end`.
std::string BytesOfPart(const DecodedText& text, size_t begin, size_t end) {
  DecodedText part{text.text.substr(begin, end - begin),
                   text.encoding == Encoding::kUtf8WithBom ? Encoding::kUtf8 : text.encoding};
  for (const StrayByte& stray : text.strays) {
    if (stray.at >= begin && stray.at < end) part.strays.push_back({stray.at - begin, stray.byte});
  }
  return BytesOf(part);
}

std::string WithLf(std::string_view text) { return absl::StrReplaceAll(std::string(text), {{"\r\n", "\n"}}); }

// A part of the text, in whole characters.
std::string_view SomePart(std::mt19937& random, std::string_view text) {
  size_t begin = random() % (text.size() + 1);
  size_t end = begin + random() % 6;
  while (begin > 0 && begin < text.size() && text::ContinuesCharacter(text[begin])) --begin;
  while (end < text.size() && text::ContinuesCharacter(text[end])) ++end;
  return text.substr(begin, end - begin);
}

// Of random files with mixed line ends, stray bytes and several encodings.
TEST(TextEditTest, BytesAroundAnEditStayAsTheyAre) {
  std::mt19937 random(41);
  int edited = 0;
  for (int round = 0; round < 40'000; ++round) {
    const bool utf8 = random() % 2 == 0;
    const std::vector<std::string> parts =
        utf8 ? std::vector<std::string>{"a", "b", "é", "é", "–", "\xE9", "\xFF", "\n", "\r\n", "\uFFFD"}
             : std::vector<std::string>{"a", "b", "\xE9", "\x80", "\n", "\r\n"};
    const std::string bytes = Random(random, parts, 14);
    const std::optional<DecodedText> file = DecodeText(bytes);
    ASSERT_TRUE(file.has_value());
    const std::string shown = WithLf(file->text);
    const std::string from(SomePart(random, shown));
    const std::string to = Random(random, {"a", "x", "\n", "é", "\uFFFD"}, 4);
    if (from.empty() || from == to || from.find('\r') != std::string::npos) continue;
    const LineView view(file->text, from);
    ASSERT_EQ(view.text(), shown);
    const size_t at = shown.find(from);
    if (shown.find(from, at + from.size()) != std::string::npos) continue;
    const absl::StatusOr<DecodedText> after = ReplaceText(*file, view, from, to);
    if (!after.ok()) continue;
    ++edited;
    const std::string result = BytesOf(*after);
    const std::string before = BytesOfPart(*file, 0, view.Origin(at));
    const std::string behind = BytesOfPart(*file, view.Origin(at + from.size()), file->text.size());
    EXPECT_EQ(result.substr(0, before.size()), before) << ::testing::PrintToString(bytes);
    ASSERT_GE(result.size(), before.size() + behind.size());
    EXPECT_EQ(result.substr(result.size() - behind.size()), behind) << ::testing::PrintToString(bytes);
    std::string wanted = shown;
    wanted.replace(at, from.size(), to);
    EXPECT_EQ(WithLf(after->text), wanted) << ::testing::PrintToString(bytes);
    // A file with one kind of line ends keeps it.
    const std::string_view ends = LineEndsOf(file->text);
    if (ends == "LF" || ends == "CRLF") {
      const std::string_view new_ends = LineEndsOf(after->text);
      EXPECT_TRUE(new_ends == ends || new_ends.empty()) << ::testing::PrintToString(bytes);
    }
  }
  EXPECT_GT(edited, 10'000);
}

TEST(TextEditTest, ManyReplacementsInOneLineTakeLinearTime) {
  std::string text(2'000'000, ',');
  text += "\r\nend\n";
  const DecodedText file{text};
  const LineView view(file.text, ",");
  const absl::StatusOr<DecodedText> after = ReplaceText(file, view, ",", ",\n");
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(after->text.substr(0, 6), ",\r\n,\r\n");
}

}  // namespace
}  // namespace toolgate::executors::files
