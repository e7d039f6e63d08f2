// Reasons why interchange/markdown has its own writer: each test shows a behaviour of the renderers of cmark-gfm 0.29
// that must not happen to a block, next to that of our own code. If one of them fails with a newer cmark-gfm, that part
// of our own code may be removed.
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interchange/markdown/document.h"
#include "interchange/markdown/spelling.h"
#include "interchange/markdown/writer.h"

namespace toolgate::interchange::markdown {
namespace {

using ::testing::ElementsAre;

struct Renderings {
  std::string markdown;
  std::string plain;
};

std::string Taken(char* text) {
  std::string copy(text);
  std::free(text);
  return copy;
}

// `text`, read and written again by cmark-gfm with the extensions that document.cc uses.
Renderings CmarkRenders(std::string_view text) {
  cmark_gfm_core_extensions_ensure_registered();
  cmark_parser* parser = cmark_parser_new(CMARK_OPT_DEFAULT);
  for (const char* name : {"table", "tasklist", "strikethrough"}) {
    cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(name));
  }
  cmark_parser_feed(parser, text.data(), text.size());
  cmark_node* root = cmark_parser_finish(parser);
  Renderings renderings = {Taken(cmark_render_commonmark(root, CMARK_OPT_DEFAULT, 0)),
                           Taken(cmark_render_plaintext(root, CMARK_OPT_DEFAULT, 0))};
  cmark_node_free(root);
  cmark_parser_free(parser);
  return renderings;
}

// "type {data}" of each block after the page.
std::vector<std::string> Blocks(std::string_view text) {
  std::vector<std::string> lines;
  for (const v1::PortableBlock& block : BlocksOfMarkdown({text, "-", ""}, [] { return std::string("-"); })) {
    lines.push_back(absl::StrCat(block.type(), " ", block.data_json()));
  }
  lines.erase(lines.begin());
  return lines;
}

TEST(CmarkTest, WritesACommentBehindAListWhichReadsAsABlock) {
  const std::string again = CmarkRenders("- a\n\n```\nx\n```\n").markdown;
  EXPECT_THAT(Blocks(again),
              ElementsAre(R"(bulleted_list_item {"content":"a"})",
                          R"(code {"language":"html","content":"<!-- end list -->"})", R"(code {"content":"x"})"));
  MarkdownWriter writer("page", {{"title", "T"}});
  writer.Add(0, "bulleted_list_item", {{"content", "a"}});
  writer.Add(0, "code", {{"content", "x"}});
  EXPECT_THAT(Blocks(writer.Finish()), ElementsAre(R"(bulleted_list_item {"content":"a"})", R"(code {"content":"x"})"));
}

TEST(CmarkTest, EscapesTheBoxOfATaskInAQuote) {
  constexpr std::string_view kText = "> - [x] a\n";
  EXPECT_THAT(Blocks(kText), ElementsAre(R"(quote {"content":""})", R"(todo {"content":"a","completed":true})"));
  EXPECT_THAT(Blocks(CmarkRenders(kText).markdown),
              ElementsAre(R"(quote {"content":""})", R"(bulleted_list_item {"content":"[x] a"})"));
}

TEST(CmarkTest, ChangesTheAddressOfALink) {
  EXPECT_EQ(CmarkRenders("[t](<a b>)\n").markdown, "[t](a%20b)\n");
  EXPECT_EQ(SpellContent("paragraph", "[t](<a b>)"), "[t](<a b>)");
}

// A block's content is shown and searched as it is stored, and documents are edited by people.
TEST(CmarkTest, EscapesWhatMeansNothing) {
  constexpr std::string_view kText = "snake_case 2 * 3 < C# [no link] !";
  EXPECT_EQ(CmarkRenders(kText).markdown, "snake\\_case 2 \\* 3 \\< C\\# \\[no link\\] \\!\n");
  EXPECT_EQ(SpellContent("paragraph", kText), kText);
  EXPECT_THAT(Blocks(kText), ElementsAre(absl::StrCat("paragraph {\"content\":\"", std::string(kText), "\"}")));
}

TEST(CmarkTest, LeavesMarksInPlainTextAndTakesTagsAway) {
  constexpr std::string_view kText = "# ~~a~~ <i>b</i>\n";
  EXPECT_EQ(CmarkRenders(kText).plain, "~a~ b\n");
  const auto blocks = BlocksOfMarkdown({kText, "-", ""}, [] { return std::string("-"); });
  EXPECT_EQ(blocks.at(0).data_json(), R"({"title":"a <i>b</i>"})");
}

}  // namespace
}  // namespace toolgate::interchange::markdown
