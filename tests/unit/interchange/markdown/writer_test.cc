#include "interchange/markdown/writer.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/absl_bridge.h"
#include "interchange/markdown/document.h"
#include "interchange/markdown/spelling.h"

namespace toolgate::interchange::markdown {
namespace {

struct Node {
  int depth = 0;
  std::string type;
  Json data;
};

std::string Written(const Json& page, const std::vector<Node>& nodes, std::string_view type = "page") {
  MarkdownWriter writer(type, page);
  for (const Node& node : nodes) writer.Add(node.depth, node.type, node.data);
  return writer.Finish();
}

// A page with these blocks, without its first lines.
std::string Body(const std::vector<Node>& nodes) {
  const std::string text = Written({{"title", "T"}}, nodes);
  EXPECT_EQ(text.substr(0, 5), "# T\n\n");
  return text.substr(5);
}

// "depth type data" for each block after the page.
std::vector<std::string> ShownNodes(const std::vector<Node>& nodes) {
  std::vector<std::string> lines;
  lines.reserve(nodes.size());
  for (const Node& node : nodes) lines.push_back(absl::StrCat(node.depth, " ", node.type, " ", DumpJson(node.data)));
  return lines;
}

std::vector<Node> Read(std::string_view text) {
  int next = 0;
  std::map<std::string, int> depths;
  std::vector<Node> nodes;
  for (const v1::PortableBlock& block : BlocksOfMarkdown({text, "file", ""}, [&] { return std::to_string(++next); })) {
    const int depth = block.parent_id().empty() ? -1 : depths.at(block.parent_id()) + 1;
    depths[block.id()] = depth;
    if (depth >= 0) nodes.push_back({depth, block.type(), *ParseJson(block.data_json())});
  }
  return nodes;
}

struct BlockRow {
  const char* name;
  std::vector<Node> nodes;
  std::string text;
  bool reads_back = true;
};

class MarkdownBlockTest : public ::testing::TestWithParam<BlockRow> {};

TEST_P(MarkdownBlockTest, IsWritten) { EXPECT_EQ(Body(GetParam().nodes), GetParam().text); }

TEST_P(MarkdownBlockTest, ReadsBackWhereItSaysSo) {
  const auto read = ShownNodes(Read(Written({{"title", "T"}}, GetParam().nodes)));
  if (GetParam().reads_back) {
    EXPECT_EQ(read, ShownNodes(GetParam().nodes));
  } else {
    EXPECT_NE(read, ShownNodes(GetParam().nodes));
  }
}

Json Content(const char* text) { return {{"content", text}}; }
Json Todo(const char* text, bool completed) { return {{"content", text}, {"completed", completed}}; }

INSTANTIATE_TEST_SUITE_P(
    Rows, MarkdownBlockTest,
    ::testing::Values(
        BlockRow{"Heading", {{0, "heading", {{"content", "A *b*"}, {"level", 3}}}}, "### A *b*\n"},
        BlockRow{"Paragraphs", {{0, "paragraph", Content("a\nb")}, {0, "paragraph", Content("c")}}, "a\\\nb\n\nc\n"},
        BlockRow{"Todos",
                 {{0, "todo", Todo("a", false)}, {1, "todo", Todo("b", true)}, {0, "todo", Todo("c", false)}},
                 "- [ ] a\n  - [x] b\n- [ ] c\n"},
        BlockRow{"TodoInWords",
                 {{0,
                   "todo",
                   {{"content", "a"},
                    {"status", "in_progress"},
                    {"dueDate", "2026-03-02"},
                    {"priority", "high"},
                    {"assignedTo", "ada"},
                    {"tags", {"x", "y"}},
                    {"description", "More."}}}},
                 "- [ ] a (in progress, due 2026-03-02, high priority, for ada, tagged x, y)\n\n  More.\n",
                 false},
        BlockRow{"NestedLists",
                 {{0, "bulleted_list_item", Content("a")},
                  {1, "numbered_list_item", Content("b")},
                  {1, "numbered_list_item", Content("c")},
                  {2, "paragraph", Content("d\ne")},
                  {0, "bulleted_list_item", Content("f")},
                  {0, "numbered_list_item", Content("g")}},
                 "- a\n  1. b\n  2. c\n\n     d\\\n     e\n\n- f\n1. g\n"},
        BlockRow{"EmptyItems",
                 {{0, "bulleted_list_item", Content("a")},
                  {1, "bulleted_list_item", Content("")},
                  {0, "numbered_list_item", Content("")},
                  {1, "heading", {{"content", "b"}, {"level", 1}}},
                  {1, "bulleted_list_item", Content("c")}},
                 "- a\n\n  -\n\n1. # b\n\n   - c\n"},
        BlockRow{"EmptyItemsInEachOther",
                 {{0, "bulleted_list_item", Content("")},
                  {1, "bulleted_list_item", Content("")},
                  {2, "bulleted_list_item", Content("")},
                  {0, "todo", Todo("", true)},
                  {1, "paragraph", Content("a")}},
                 "- + -\n\n- [x]\n\n  a\n"},
        BlockRow{"Quote",
                 {{0, "quote", Content("a\nb")},
                  {1, "bulleted_list_item", Content("c")},
                  {1, "quote", Content("")},
                  {2, "paragraph", Content("d")},
                  {0, "quote", Content("e")}},
                 "> a\\\n> b\n>\n> - c\n>\n> > d\n\n> e\n",
                 false},  // The inner quote would take the paragraph as its content.
        BlockRow{"Callouts",
                 {{0, "callout", Content("a\nb")},
                  {1, "paragraph", Content("c")},
                  {0, "callout", {{"content", "d"}, {"icon", "warning"}}},
                  {0, "callout", {{"content", "e"}, {"icon", "💡"}}}},
                 "> [!NOTE]\n> a\\\n> b\n>\n> c\n\n> [!WARNING]\n> d\n\n> [!💡]\n> e\n"},
        BlockRow{"QuoteThatIsNoCallout", {{0, "quote", Content("[!NOTE] a")}}, "> \\[\\!NOTE\\] a\n"},
        BlockRow{"Code",
                 {{0, "code", {{"language", "cpp"}, {"content", "a\n\n\tb"}}},
                  {0, "code", Content("```\n````")},
                  {0, "code", Content("")}},
                 "```cpp\na\n\n\tb\n```\n\n`````\n```\n````\n`````\n\n```\n```\n"},
        BlockRow{"CodeOfOddLanguages",
                 {{0, "code", {{"language", "a`b"}, {"content", "~~~\n`"}}},
                  {0, "code", {{"language", "~`"}, {"content", "x"}}},
                  {0, "code", {{"language", "~a\\b&lt;"}, {"content", "x"}}}},
                 "~~~~a`b\n~~~\n`\n~~~~\n\n~~~\\~`\nx\n~~~\n\n```\\~a\\\\b&amp;lt;\nx\n```\n"},
        BlockRow{"CodeInAnItem",
                 {{0, "bulleted_list_item", Content("a")}, {1, "code", Content("x\n\n  \ny\n")}},
                 "- a\n\n  ```\n  x\n\n    \n  y\n\n  ```\n"},
        BlockRow{"Table",
                 {{0,
                   "table",
                   {{"header", {"a", "b|c"}}, {"rows", Json::array({{"1\n2", "`x`"}, Json::array({"", "\\|"})})}}}},
                 "| a | b\\|c |\n| --- | --- |\n| 1<br>2 | `x` |\n|  | \\\\\\\\| |\n"},
        BlockRow{"TableWithoutHeader", {{0, "table", {{"rows", {{"1"}}}}}}, "|  |\n| --- |\n| 1 |\n"},
        BlockRow{"RaggedTable",
                 {{0, "table", {{"header", {"a"}}, {"rows", {{"1", "2"}, Json::array()}}}}},
                 "| a |  |\n| --- | --- |\n| 1 | 2 |\n|  |  |\n",
                 false},
        BlockRow{"Divider", {{0, "divider", Json::object()}}, "***\n"},
        BlockRow{"Images",
                 {{0, "image", {{"url", "a.png"}}},
                  {0, "image", {{"url", "a b(.png"}, {"caption", "\"c\" \\d"}, {"alt", "e] *f*"}}}},
                 "![](a.png)\n\n![e\\] \\*f\\*](<a b(.png> \"\\\"c\\\" \\\\d\")\n"},
        BlockRow{"WhatStandsBelowAParagraph",
                 {{0, "paragraph", Content("a")}, {1, "bulleted_list_item", Content("b")}},
                 "a\n\n- b\n",
                 false},
        BlockRow{"NothingToSay",
                 {{0, "paragraph", Content(" ")},
                  {0, "heading", Content("")},
                  {0, "table", {{"rows", Json::array()}}},
                  {0, "paragraph", Content("a")}},
                 "a\n",
                 false},
        BlockRow{"RowElsewhere",
                 {{0, "database_row", {{"properties", {{"name", "a"}, {"done", true}, {"n", 1.5}}}}}},
                 "- name: a, done: yes, n: 1.5\n",
                 false}),
    [](const auto& row) { return row.param.name; });

struct SpellingRow {
  const char* name;
  std::string content;
  std::string spelled;
};

class SpellingTest : public ::testing::TestWithParam<SpellingRow> {};

TEST_P(SpellingTest, ReadsBackTheSame) {
  EXPECT_EQ(SpellContent("paragraph", GetParam().content), GetParam().spelled);
  for (const char* type : {"paragraph", "quote", "bulleted_list_item", "numbered_list_item", "callout"}) {
    const std::vector<Node> nodes = Read(Written({{"title", "T"}}, {{0, type, {{"content", GetParam().content}}}}));
    ASSERT_EQ(nodes.size(), 1u) << type;
    EXPECT_EQ(nodes[0].data["content"], GetParam().content) << type;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SpellingTest,
    ::testing::Values(SpellingRow{"MarkupStays", "*a* **b** ~~c~~ `d` <i>e</i> [t](u) ![i](p)",
                                  "*a* **b** ~~c~~ `d` <i>e</i> [t](u) ![i](p)"},
                      SpellingRow{"PlainTextStays", "snake_case 2 * 3 C:\\path a < b & c # $x$ [not a link] 1. -",
                                  "snake_case 2 * 3 C:\\path a < b & c # $x$ [not a link] 1. -"},
                      SpellingRow{"HeadingMark", "# a", "\\# a"}, SpellingRow{"HashTag", "#a", "#a"},
                      SpellingRow{"QuoteMark", ">a", "\\>a"}, SpellingRow{"Dash", "- a", "\\- a"},
                      SpellingRow{"Plus", "+ a", "\\+ a"}, SpellingRow{"Star", "* a", "\\* a"},
                      SpellingRow{"NegativeNumber", "-1", "-1"}, SpellingRow{"Bold", "**a**", "**a**"},
                      SpellingRow{"Number", "12. a", "12\\. a"}, SpellingRow{"NumberInParenthesis", "1) a", "1\\) a"},
                      SpellingRow{"Version", "1.2 a", "1.2 a"}, SpellingRow{"Fence", "```cpp", "\\```cpp"},
                      SpellingRow{"Tildes", "~~~", "\\~~~"}, SpellingRow{"Box", "[ ] a", "\\[ ] a"},
                      SpellingRow{"LinkDefinition", "[a]: b", "\\[a]: b"},
                      SpellingRow{"Setext", "a\n===\nb", "a\\\n\\===\\\nb"},
                      SpellingRow{"SetextDashes", "a\n---", "a\\\n\\---"}, SpellingRow{"Break", "* * *", "\\* * *"},
                      SpellingRow{"Underscores", "___", "\\___"},
                      SpellingRow{"Table", "a | b\n--- | ---\n| c |", "a | b\\\n\\--- | ---\\\n\\| c |"},
                      SpellingRow{"AlignedTable", "a\n:-:", "a\\\n\\:-:"},
                      SpellingRow{"Html", "<div>\na", "\\<div>\\\na"}, SpellingRow{"Comment", "<!-- a", "\\<!-- a"},
                      SpellingRow{"HtmlInLine", "<b>a</b> c", "<b>a</b> c"},
                      SpellingRow{"Blanks", "a\n    b\n\tc", "a\\\n&#32;   b\\\n&#9;c"},
                      SpellingRow{"BlankLines", "a\n\n \nb", "a\\\n\\\n&#32;\\\nb"},
                      SpellingRow{"BlanksAtTheEnd", "a  \nb", "a  \\\nb"},
                      SpellingRow{"BackslashAtTheEnd", "a\\\nb\\", "a\\\\\\\nb\\"},
                      SpellingRow{"TwoBackslashes", "\\\\server", "\\\\\\\\server"},
                      SpellingRow{"Escape", "\\*a\\*", "\\\\\\*a\\\\\\*"},
                      SpellingRow{"Entity", "&amp; &#65; &", "\\&amp; \\&#65; &"},
                      SpellingRow{"AutoLink", "<https://a.org>", "\\<https://a.org>"},
                      SpellingRow{"LinkWithTitle", "[t](u \"v\")", "[t](u \"v\")"},
                      SpellingRow{"LinkWithBlanks", "[t](<u v>)", "[t](<u v>)"},
                      SpellingRow{"CodeOverLines", "`a\nb` *c*", "\\`a\\\nb\\` \\*c\\*"},
                      SpellingRow{"SeveralBlocks", "a:\n\n- b\n  - c\n\n```\nd\n```",
                                  "a:\\\n\\\n\\- b\\\n&#32; - c\\\n\\\n\\```\\\nd\\\n\\```"}),
    [](const auto& row) { return row.param.name; });

TEST(SpellingTest, EmphasisStaysWithEitherMark) {
  EXPECT_EQ(SpellContent("paragraph", "_a_ __b__"), "_a_ __b__");
  EXPECT_EQ(SpellContent("paragraph", "![i](p)"), "![i](p)");
}

TEST(SpellingTest, BlanksAroundAndControlCharactersGo) {
  EXPECT_EQ(SpellContent("paragraph", " a\x1b[1m\r\nb \n"), "a[1m\\\nb");
}

struct DocumentRow {
  const char* name;
  const char* type;
  Json data;
  std::vector<Node> nodes;
  std::string text;
};

class MarkdownDocumentsTest : public ::testing::TestWithParam<DocumentRow> {};

TEST_P(MarkdownDocumentsTest, IsWritten) {
  EXPECT_EQ(Written(GetParam().data, GetParam().nodes, GetParam().type), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, MarkdownDocumentsTest,
    ::testing::Values(
        DocumentRow{"Page",
                    "page",
                    {{"title", "A *b*"}, {"icon", "📘"}, {"description", "x\n\"y\""}, {"tags", {"a", "b: c"}}},
                    {},
                    "---\ntags: [\"a\",\"b: c\"]\nicon: \"📘\"\ndescription: \"x\\n\\\"y\\\"\"\n---\n\n# A \\*b\\*\n"},
        DocumentRow{"WithoutTitle", "page", Json::object(), {}, "# Untitled\n"},
        DocumentRow{"Board",
                    "kanban_board",
                    {{"title", "B"}, {"description", "About *it*."}},
                    {{0, "kanban_column", {{"title", "Doing"}}},
                     {1,
                      "kanban_card",
                      {{"title", "c"}, {"status", "in_progress"}, {"priority", "low"}, {"description", "d\n\n- e"}}},
                     {2, "todo", {{"content", "f"}}},
                     {1, "kanban_card", {{"title", "g"}}},
                     {0, "kanban_column", {{"title", "Done"}}},
                     {1, "kanban_card", {{"title", "h"}, {"status", "done"}}}},
                    "# B\n\nAbout *it*.\n\n## Doing\n\n- [ ] c (in progress, low priority)\n\n  d\n\n  - e\n\n"
                    "  - [ ] f\n- [ ] g\n\n## Done\n\n- [x] h\n"},
        DocumentRow{
            "Database",
            "database",
            {{"title", "D"}, {"properties", {{{"id", "n"}, {"name", "Name"}}, {{"id", "t"}, {"name", "Tags"}}}}},
            {{0, "database_row", {{"properties", {{"n", "a|b"}, {"t", {"x", "y"}}}}}},
             {1, "paragraph", {{"content", "Below a."}}},
             {0, "database_row", {{"properties", {{"n", nullptr}, {"gone", 1}}}}},
             {1, "paragraph", {{"content", "Below none."}}}},
            "# D\n\n| Name | Tags |\n| --- | --- |\n| a\\|b | x, y |\n|  |  |\n\n## a|b\n\nBelow a.\n\n"
            "## Row 2\n\nBelow none.\n"},
        DocumentRow{"Note",
                    "note",
                    {{"title", "N"}, {"body", "Text\n\n- as it is\n"}, {"tags", {"a"}}},
                    {{0, "paragraph", {{"content", "below"}}}},
                    "---\ntags: [\"a\"]\n---\n\n# N\n\nText\n\n- as it is\n\nbelow\n"},
        DocumentRow{"Journal",
                    "journal_entry",
                    {{"title", "J"}, {"body", "b"}, {"date", "2026-03-02"}, {"mood", "fine"}},
                    {},
                    "---\ndate: \"2026-03-02\"\nmood: \"fine\"\n---\n\n# J\n\nb\n"},
        DocumentRow{
            "Event",
            "calendar_event",
            {{"title", "E"}, {"description", "d"}, {"date", "2026-03-02"}, {"time", "09:00"}, {"type", "event"}},
            {},
            "---\ndate: \"2026-03-02\"\ntime: \"09:00\"\ntype: \"event\"\n---\n\n# E\n\nd\n"},
        DocumentRow{"Automation",
                    "automation",
                    {{"title", "A"}, {"enabled", false}, {"steps", {{{"tool", "t"}, {"arguments", Json::object()}}}}},
                    {},
                    "---\nenabled: false\n---\n\n# A\n\n```json\n[\n  {\n    \"tool\": \"t\",\n    \"arguments\": {}\n"
                    "  }\n]\n```\n"}),
    [](const auto& row) { return row.param.name; });

TEST(MarkdownWriterTest, APageKeepsItsOwnData) {
  const Json page = {{"title", "*A* \\_b_ <c> &amp; #"},
                     {"tags", {"x, y", "true", "\"q\""}},
                     {"icon", "📘"},
                     {"description", std::string(100'000, '"') + "\n# d"}};
  const auto blocks =
      BlocksOfMarkdown({Written(page, {{0, "heading", {{"content", "h"}}}}), "file", ""}, [] { return "id"; });
  ASSERT_EQ(blocks.size(), 2u);
  Json expected = page;
  expected["description"] = page["description"].get<std::string>().substr(0, 100'000);
  EXPECT_EQ(*ParseJson(blocks[0].data_json()), expected);
}

TEST(MarkdownWriterTest, DeepNestingStaysShort) {
  std::vector<Node> nodes;
  nodes.reserve(2'000);
  for (int i = 0; i < 2'000; ++i) nodes.push_back({i, i % 2 == 0 ? "bulleted_list_item" : "quote", Content("x")});
  EXPECT_LT(Body(nodes).size(), 400'000u);
  std::vector<Node> read = Read(Body(nodes));
  EXPECT_EQ(read.size(), 2'000u);
}

// Blocks as the parser makes them, with contents that look like any syntax.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::vector<Node> Page() {
    std::vector<Node> nodes;
    Children(nodes, 0, true);
    return nodes;
  }

  std::string Text(bool one_line) {
    static constexpr std::array kPieces = {"word",
                                           "Grün",
                                           " ",
                                           " ",
                                           "  ",
                                           "\t",
                                           "\n",
                                           "\n\n",
                                           "#",
                                           "# ",
                                           "- ",
                                           "+ ",
                                           "* ",
                                           "1. ",
                                           "23) ",
                                           "> ",
                                           "|",
                                           "| --- |",
                                           "---",
                                           "===",
                                           "***",
                                           "___",
                                           "```",
                                           "~~~",
                                           "*a*",
                                           "**b**",
                                           "`c`",
                                           "``d`",
                                           "~~e~~",
                                           "_f_",
                                           "[t](u)",
                                           "[r]",
                                           "[r]: x",
                                           "<b>",
                                           "</b>",
                                           "<div>",
                                           "<!--",
                                           "-->",
                                           "&amp;",
                                           "&",
                                           "\\",
                                           "\\*",
                                           "\\|",
                                           "\\\\",
                                           "!",
                                           "![i](p)",
                                           "[ ] ",
                                           "[x] ",
                                           "    ",
                                           "<",
                                           ">",
                                           "https://a.org",
                                           "<https://a.org>",
                                           "a@b.c",
                                           "$x$",
                                           ":",
                                           "(",
                                           ")",
                                           "]",
                                           "[",
                                           "\"",
                                           "'",
                                           "[!NOTE]",
                                           "<br>",
                                           "😀",
                                           "\xC2\xA0",
                                           "*",
                                           "_",
                                           "`",
                                           "~",
                                           "{",
                                           "=",
                                           "-"};
    std::string text;
    for (int i = Below(8); i >= 0; --i) text += kPieces[Below(kPieces.size())];
    if (one_line) text = absl::StrReplaceAll(text, {{"\n", " "}, {"\t", " "}});
    absl::StripAsciiWhitespace(&text);
    return text;
  }

 private:
  int Below(size_t bound) { return static_cast<int>(random_() % bound); }

  std::string Filled(bool one_line) {
    std::string text;
    while (text.empty() || text[0] == '!') text = Text(one_line);  // "![i](p)" alone is a picture.
    return text;
  }

  void Children(std::vector<Node>& nodes, int depth, bool parent_has_text) {
    for (int i = Below(depth == 0 ? 8 : 3); i > 0; --i) {
      Block(nodes, depth, parent_has_text);
      parent_has_text = true;
    }
  }

  void Block(std::vector<Node>& nodes, int depth, bool paragraphs) {
    static constexpr std::array kTypes = {
        "paragraph", "image", "heading", "todo",   "bulleted_list_item", "numbered_list_item", "quote",
        "callout",   "code",  "table",   "divider"};
    // Text that begins an empty item becomes the item's own.
    const std::string type = kTypes[paragraphs ? Below(kTypes.size()) : 2 + Below(kTypes.size() - 2)];
    if (type == "paragraph") return Leaf(nodes, depth, type, {{"content", Filled(false)}});
    if (type == "heading") return Leaf(nodes, depth, type, {{"content", Filled(true)}, {"level", 1 + Below(6)}});
    if (type == "divider") return Leaf(nodes, depth, type, Json::object());
    if (type == "table") return Leaf(nodes, depth, type, Table());
    if (type == "image")
      return Leaf(nodes, depth, type, {{"url", "a.png"}, {"caption", Filled(true)}, {"alt", Filled(true)}});
    if (type == "code") {
      Json data = Below(2) == 0 ? Json::object() : Json{{"language", Below(2) == 0 ? "c++" : "~`&amp;\\a"}};
      data["content"] = Text(false) + (Below(2) == 0 ? "" : "\n\n") + Text(false);
      return Leaf(nodes, depth, type, data);
    }
    const bool filled = Below(4) > 0;
    Json data = {{"content", filled ? Filled(false) : ""}};
    if (type == "todo") data["completed"] = Below(2) == 0;
    if (type == "callout" && Below(2) == 0) data["icon"] = Below(2) == 0 ? "tip" : "💡";
    Leaf(nodes, depth, type, data);
    if (depth < 5) Children(nodes, depth + 1, filled || type == "callout" || type == "todo");
  }

  static void Leaf(std::vector<Node>& nodes, int depth, const std::string& type, const Json& data) {
    nodes.push_back({depth, type, data});
  }

  Json Table() {
    const int columns = 1 + Below(3);
    Json data = Json::object();
    if (Below(3) > 0) {
      for (int i = 0; i < columns; ++i) data["header"].push_back(Filled(true));
    }
    data["rows"] = Json::array();
    for (int row = Below(4); row >= 0; --row) {
      Json cells = Json::array();
      for (int i = 0; i < columns; ++i) cells.push_back(Text(false));
      data["rows"].push_back(cells);
    }
    return data;
  }

  std::mt19937 random_;
};

// The only difference that is accepted.
std::vector<std::string> WithOneEmphasis(std::vector<std::string> lines) {
  for (std::string& line : lines) {
    const size_t data = line.find('{');
    std::replace(line.begin() + static_cast<std::ptrdiff_t>(data), line.end(), '_', '*');
  }
  return lines;
}

TEST(MarkdownRoundTripTest, WhatIsWrittenReadsBack) {
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    const std::vector<Node> nodes = Generator(seed).Page();
    const std::string text = Written({{"title", "T"}}, nodes);
    const std::vector<std::string> expected = WithOneEmphasis(ShownNodes(nodes));
    const std::vector<std::string> read = WithOneEmphasis(ShownNodes(Read(text)));
    for (size_t i = 0; i < std::min(expected.size(), read.size()); ++i) ASSERT_EQ(read[i], expected[i]) << seed << text;
    ASSERT_EQ(read.size(), expected.size()) << "seed " << seed << "\n" << text;
  }
}

TEST(MarkdownRoundTripTest, AnyTitleReadsBack) {
  Generator generator(1);
  for (int i = 0; i < 2'000; ++i) {
    const std::string title = generator.Text(true);
    if (title.empty()) continue;
    const auto blocks = BlocksOfMarkdown({Written({{"title", title}}, {}), "", ""}, [] { return "id"; });
    ASSERT_EQ(blocks.size(), 1u) << title;
    EXPECT_EQ((*ParseJson(blocks[0].data_json()))["title"], title);
  }
}

}  // namespace
}  // namespace toolgate::interchange::markdown
