#include "interchange/markdown/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "interchange/markdown/front_matter.h"
#include "tests/support/counting_ids.h"

namespace toolgate::interchange::markdown {
namespace {

using ::testing::IsEmpty;

// "type<parent {data}" for each block, with the original ids.
std::vector<std::string> Shown(const std::vector<v1::PortableBlock>& blocks) {
  std::vector<std::string> lines;
  for (const v1::PortableBlock& block : blocks) {
    lines.push_back(absl::StrCat(block.id(), " ", block.type(), "<", block.parent_id(), " ", block.data_json()));
  }
  return lines;
}

std::vector<v1::PortableBlock> Blocks(std::string_view text) {
  testing::CountingIds ids;
  return BlocksOfMarkdown({text, "file", ""}, [&] { return ids.NewId(absl::UnixEpoch()); });
}

struct MarkdownRow {
  const char* name;
  std::string text;
  std::vector<std::string> blocks;  // After the page.
};

class MarkdownTest : public ::testing::TestWithParam<MarkdownRow> {};

TEST_P(MarkdownTest, BecomesBlocks) {
  std::vector<std::string> shown = Shown(Blocks(GetParam().text));
  ASSERT_FALSE(shown.empty());
  shown.erase(shown.begin());
  EXPECT_EQ(shown, GetParam().blocks);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, MarkdownTest,
    ::testing::Values(
        MarkdownRow{"Paragraphs",
                    "a\nb\n\nc",
                    {R"(id2 paragraph<id1 {"content":"a b"})", R"(id3 paragraph<id1 {"content":"c"})"}},
        MarkdownRow{"HardBreak", "a  \nb", {R"(id2 paragraph<id1 {"content":"a\nb"})"}},
        MarkdownRow{"Inlines",
                    "*a* **b** ~~c~~ `d` <i>e</i>",
                    {R"(id2 paragraph<id1 {"content":"*a* **b** ~~c~~ `d` <i>e</i>"})"}},
        MarkdownRow{"CodeWithBackticks", "`` a`b ``", {R"(id2 paragraph<id1 {"content":"`` a`b ``"})"}},
        MarkdownRow{"Links",
                    "[t](u) <https://x.org> ![alt](i.png)",
                    {R"x(id2 paragraph<id1 {"content":"[t](u) https://x.org ![alt](i.png)"})x"}},
        MarkdownRow{"NoEscapesAreAdded",
                    "snake_case 1. # $x$ [not a link] \\*",
                    {R"(id2 paragraph<id1 {"content":"snake_case 1. # $x$ [not a link] *"})"}},
        MarkdownRow{"Entities", "&amp; &lt;", {R"(id2 paragraph<id1 {"content":"& <"})"}},
        MarkdownRow{"TitleIsNotRepeated", "# T\n\n## U", {R"(id2 heading<id1 {"content":"U","level":2})"}},
        MarkdownRow{"ALaterHeadingStays",
                    "a\n\n# T",
                    {R"(id2 paragraph<id1 {"content":"a"})", R"(id3 heading<id1 {"content":"T","level":1})"}},
        MarkdownRow{"NestedLists",
                    "- a\n  1. b\n     - c\n- d",
                    {R"(id2 bulleted_list_item<id1 {"content":"a"})", R"(id3 numbered_list_item<id2 {"content":"b"})",
                     R"(id4 bulleted_list_item<id3 {"content":"c"})", R"(id5 bulleted_list_item<id1 {"content":"d"})"}},
        MarkdownRow{"EmptyItem",
                    "-\n- a",
                    {R"(id2 bulleted_list_item<id1 {"content":""})", R"(id3 bulleted_list_item<id1 {"content":"a"})"}},
        MarkdownRow{"ItemOfSeveralBlocks",
                    "- a\n\n  b\n\n      code",
                    {R"(id2 bulleted_list_item<id1 {"content":"a"})", R"(id3 paragraph<id2 {"content":"b"})",
                     R"(id4 code<id2 {"content":"code"})"}},
        MarkdownRow{
            "Todos",
            "- [ ] a\n- [X] b\n  - [x] c",
            {R"(id2 todo<id1 {"content":"a","completed":false})", R"(id3 todo<id1 {"content":"b","completed":true})",
             R"(id4 todo<id3 {"content":"c","completed":true})"}},
        MarkdownRow{
            "ABoxIsTickedInFrontOnly", "- [ ] a [x] b", {R"(id2 todo<id1 {"content":"a [x] b","completed":false})"}},
        MarkdownRow{"TodosInAQuote",
                    "> - [x] a\r>   - \\[ ] b",
                    {R"(id2 quote<id1 {"content":""})", R"(id3 todo<id2 {"content":"a","completed":true})",
                     R"(id4 bulleted_list_item<id3 {"content":"[ ] b"})"}},
        MarkdownRow{"Callouts",
                    "> [!WARNING]\n> a\n>\n> b\n\n> [!NOTE]\n\n> \\[!NOTE] c\n\n> [!NOTE](d)",
                    {R"(id2 callout<id1 {"content":"a","icon":"warning"})", R"(id3 paragraph<id2 {"content":"b"})",
                     R"(id4 callout<id1 {"content":""})", R"(id5 quote<id1 {"content":"[!NOTE] c"})",
                     R"x(id6 quote<id1 {"content":"[!NOTE](d)"})x"}},
        MarkdownRow{"Images",
                    "![an *alt*](u \"v\")\n\n![](w)\n\n![](x) ![](y)\n\n- ![](z)",
                    {R"(id2 image<id1 {"url":"u","caption":"v","alt":"an alt"})", R"(id3 image<id1 {"url":"w"})",
                     R"x(id4 paragraph<id1 {"content":"![](x) ![](y)"})x",
                     R"x(id5 bulleted_list_item<id1 {"content":"![](z)"})x"}},
        MarkdownRow{"LinksKeepTheirTitles",
                    "[t](<u v> 'w \"x\"')",
                    {R"x(id2 paragraph<id1 {"content":"[t](<u v> \"w \\\"x\\\"\")"})x"}},
        MarkdownRow{
            "Quote", "> a\n>\n> b", {R"(id2 quote<id1 {"content":"a"})", R"(id3 paragraph<id2 {"content":"b"})"}},
        MarkdownRow{"QuoteOfAList",
                    "> - a",
                    {R"(id2 quote<id1 {"content":""})", R"(id3 bulleted_list_item<id2 {"content":"a"})"}},
        MarkdownRow{"Code", "```c++ {.x}\na\n\n  b\n```", {R"(id2 code<id1 {"language":"c++","content":"a\n\n  b"})"}},
        MarkdownRow{"IndentedCode", "    a\n    b", {R"(id2 code<id1 {"content":"a\nb"})"}},
        MarkdownRow{"Html", "<div>\nx\n</div>", {R"(id2 code<id1 {"language":"html","content":"<div>\nx\n</div>"})"}},
        MarkdownRow{"Divider", "a\n\n***", {R"(id2 paragraph<id1 {"content":"a"})", R"(id3 divider<id1 {})"}},
        MarkdownRow{"Table",
                    "| a | b |\n|:--|--:|\n| 1 | *2* |\n| 3 |",
                    {R"(id2 table<id1 {"header":["a","b"],"rows":[["1","*2*"],["3",""]]})"}},
        MarkdownRow{"TableWithoutRows", "| a |\n|---|", {R"(id2 table<id1 {"header":["a"],"rows":[]})"}},
        MarkdownRow{"TableWithoutHeader", "|  |\n|---|\n| a |", {R"(id2 table<id1 {"rows":[["a"]]})"}},
        MarkdownRow{"LinesInACell",
                    "| a<br>b |\n|---|\n| c<br>d<BR />e |",
                    {R"(id2 table<id1 {"header":["a<br>b"],"rows":[["c\nd\ne"]]})"}},
        MarkdownRow{"WindowsLineEnds",
                    "a\r\nb\r\n\r\n- c\r\n",
                    {R"(id2 paragraph<id1 {"content":"a b"})", R"(id3 bulleted_list_item<id1 {"content":"c"})"}},
        MarkdownRow{"ControlCharacters", "a\x1b[31mb\x01", {R"(id2 paragraph<id1 {"content":"a[31mb"})"}},
        MarkdownRow{"Nothing", "", {}}),
    [](const auto& row) { return row.param.name; });

struct TitleRow {
  const char* name;
  std::string text;
  std::string page;
};

class MarkdownTitleTest : public ::testing::TestWithParam<TitleRow> {};

TEST_P(MarkdownTitleTest, IsFound) { EXPECT_EQ(Blocks(GetParam().text).at(0).data_json(), GetParam().page); }

INSTANTIATE_TEST_SUITE_P(
    Rows, MarkdownTitleTest,
    ::testing::Values(TitleRow{"FileName", "text", R"({"title":"file"})"},
                      TitleRow{"FirstHeading", "text\n\n## The *first* `one`\n\n# Second",
                               R"({"title":"The first one"})"},
                      TitleRow{"FrontMatter", "---\ntitle: Matter\n---\n# Heading", R"({"title":"Matter"})"},
                      TitleRow{"Tags", "---\ntags:\n  - a\n  - b c\n---\n", R"({"title":"file","tags":["a","b c"]})"},
                      TitleRow{"TagsInALine", "---\ntags: a, b\n...\n", R"({"title":"file","tags":["a","b"]})"},
                      TitleRow{"IconAndDescription", "---\nicon: x\ndescription: |\n  a\n  b\n---\n",
                               R"({"title":"file","icon":"x","description":"a\nb\n"})"},
                      TitleRow{"ByteOrderMark", "\xEF\xBB\xBF# T", R"({"title":"T"})"},
                      TitleRow{"EmptyHeading", "#\n", R"({"title":"file"})"},
                      TitleRow{"FrontMatterWithoutEnd", "---\ntitle: x\n", R"({"title":"file"})"},
                      TitleRow{"FrontMatterThatIsNoYaml", "---\n[broken\n---\n# T", R"({"title":"[broken"})"}),
    [](const auto& row) { return row.param.name; });

TEST(FrontMatterTest, LeavesOtherTextAlone) {
  for (const std::string& text :
       {std::string("# T"), std::string("---\n- a\n---\nb"), std::string("----\na: b\n----\n"),
        "---\na: " + std::string(2'000'000, 'x') + "\n---\n", std::string("---\na: *x\n---\n")}) {
    std::string_view rest = text;
    const FrontMatter matter = TakeFrontMatter(rest);
    EXPECT_EQ(rest, text);
    EXPECT_EQ(matter.title, "");
    EXPECT_THAT(matter.tags, IsEmpty());
  }
}

TEST(MarkdownDocumentTest, SplitsWhatABlockCannotHold) {
  // Two bytes per character: characters count, not bytes.
  std::string text;
  for (int i = 0; i < 150'000; ++i) text += "ä";
  const std::vector<v1::PortableBlock> blocks = Blocks("- " + text + "\n\n```\n" + text + "\n```\n");
  ASSERT_EQ(blocks.size(), 5u);
  EXPECT_EQ(blocks[1].data_json().size(), 200'000 + std::string(R"({"content":""})").size());
  EXPECT_EQ(blocks[2].type(), "paragraph");
  EXPECT_EQ(blocks[2].parent_id(), blocks[1].id());
  EXPECT_EQ(blocks[3].type(), "code");
  EXPECT_EQ(blocks[4].type(), "code");
}

TEST(MarkdownDocumentTest, ALongHeadingBecomesAParagraph) {
  const std::vector<v1::PortableBlock> blocks = Blocks("a\n\n# " + std::string(600, 'x'));
  EXPECT_EQ(blocks.at(2).type(), "paragraph");
  EXPECT_EQ(blocks.at(0).data_json().size(), 500 + std::string(R"({"title":""})").size());
}

TEST(MarkdownDocumentTest, ALongTableBecomesSeveral) {
  std::string text = "| a |\n|---|\n";
  for (int i = 0; i < 10'001; ++i) absl::StrAppend(&text, "| ", i, " |\n");
  const std::vector<v1::PortableBlock> blocks = Blocks(text);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ((*ParseJson(blocks[1].data_json(), {.max_values = 1'000'000}))["rows"].size(), 10'000u);
  EXPECT_EQ(blocks[2].data_json(), R"({"header":["a"],"rows":[["10000"]]})");
}

TEST(MarkdownDocumentTest, DeepNestingEndsAsText) {
  const std::vector<v1::PortableBlock> blocks = Blocks(std::string(3'000, '>') + " deep");
  ASSERT_EQ(blocks.size(), 27u);
  EXPECT_EQ(blocks.back().type(), "paragraph");
  EXPECT_EQ(blocks.back().data_json(), R"({"content":"deep"})");
  EXPECT_EQ(Blocks(std::string(20'000, '[') + std::string(20'000, '*')).size(), 2u);
}

}  // namespace
}  // namespace toolgate::interchange::markdown
