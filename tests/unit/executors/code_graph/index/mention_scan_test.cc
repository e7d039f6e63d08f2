#include "executors/code_graph/index/mention_scan.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "executors/code_graph/index/import_scan.h"
#include "gtest/gtest.h"

namespace toolgate::executors::code_graph::index {
namespace {

SymbolFact Function(std::string name, int line, int end_line) {
  SymbolFact symbol;
  symbol.name = std::move(name);
  symbol.label = SymbolLabel::kFunction;
  symbol.line = line;
  symbol.end_line = end_line;
  return symbol;
}

// "source>name()" for calls, "source>qualifier.name" for members, sorted.
std::string Mentions(std::string_view language_name, std::string_view source, const std::vector<SymbolFact>& symbols) {
  const Language language = FindLanguage(language_name);
  const std::vector<Token> tokens = Tokenise(source, *language.lex);
  const MentionList list = ScanMentions(tokens, language, symbols);
  std::vector<std::string> texts;
  for (const Mention& mention : list.mentions) {
    const std::string from = mention.source < 0 ? "" : symbols[static_cast<size_t>(mention.source)].name;
    const std::string qualifier =
        mention.qualifier == Mention::kNoName ? "" : absl::StrCat(list.names[mention.qualifier], "/");
    texts.push_back(absl::StrCat(from, ">", qualifier, mention.is_member ? "." : "", list.names[mention.name],
                                 mention.type == RelationshipType::kCalls ? "()" : "",
                                 mention.count > 1 ? absl::StrCat("*", mention.count) : ""));
  }
  std::sort(texts.begin(), texts.end());
  return absl::StrJoin(texts, " ");
}

TEST(MentionScanTest, TellsCallsFromReferences) {
  EXPECT_EQ(Mentions("C", "int f(void) {\n  g(LIMIT);\n  g(1);\n}\nT* x;", {Function("f", 1, 4)}),
            ">T >x f>LIMIT f>g()*2");
}

TEST(MentionScanTest, AttributesToTheInnermostSymbol) {
  EXPECT_EQ(Mentions("Python", "def outer():\n  def inner():\n    a()\n  b()\nc()",
                     {Function("outer", 1, 4), Function("inner", 2, 3)}),
            ">c() inner>a() outer>b()");
}

TEST(MentionScanTest, LeavesOutVariablesAndParametersOfC) {
  EXPECT_EQ(Mentions("C",
                     "int f(struct item *it, int n) {\n"
                     "  int total = n;\n"
                     "  struct node *next, last;\n"
                     "  size_t len;\n"
                     "  total = total * len + it->size;\n"
                     "  return next > MAX ? total : last;\n"
                     "}",
                     {Function("f", 1, 7)}),
            "f>MAX f>it/.size f>item f>node f>size_t");
}

TEST(MentionScanTest, LeavesOutVariablesOfTemplateTypesButNotComparisons) {
  EXPECT_EQ(Mentions("C++", "void f() {\n  std::vector<Item> items;\n  if (items.size() > MAX) g(items);\n}",
                     {Function("f", 1, 4)}),
            "f>Item f>MAX f>g() f>items/.size() f>std f>std/vector");
}

TEST(MentionScanTest, LeavesOutVariablesOfPython) {
  EXPECT_EQ(Mentions("Python",
                     "def f(a, b=None):\n"
                     "  total = helper(a)\n"
                     "  for item in b:\n"
                     "    total.add(item, key=total)\n"
                     "  return total\n",
                     {Function("f", 1, 5)}),
            "f>helper() f>total/.add()");
}

TEST(MentionScanTest, KeepsQualifiers) {
  EXPECT_EQ(Mentions("C++", "void f() {\n  A::g(); b.h(); c->i(); this->j();\n}", {Function("f", 1, 3)}),
            "f>.j() f>A f>A/g() f>b f>b/.h() f>c f>c/.i()");
}

TEST(MentionScanTest, LeavesOutANameInTheLineThatDefinesIt) {
  EXPECT_EQ(Mentions("C", "int f(void) {\n  return f();\n}", {Function("f", 1, 3)}), "f>f()");
}

TEST(MentionScanTest, LeavesOutKeysAndSigils) {
  EXPECT_EQ(Mentions("JavaScript", "const o = {key: value, f};", {}), ">f >o >value");
  EXPECT_EQ(Mentions("PHP", "$x = f($y);", {}), ">f()");
}

std::string Imports(std::string_view language, std::string_view source) {
  std::vector<std::string> names;
  for (const ImportFact& import : ScanImports(Tokenise(source, *FindLanguage(language).lex), FindLanguage(language))) {
    names.push_back(absl::StrCat(import.name, "@", import.line));
  }
  return absl::StrJoin(names, " ");
}

TEST(MentionScanTest, FindsImports) {
  EXPECT_EQ(Imports("TypeScript", "import a from './a';\nimport 'b';\nconst c = require('./c');\nexport * from 'd';"),
            "./a@1 b@2 ./c@3 d@4");
  EXPECT_EQ(Imports("Rust", "use crate::a::{b, c};\npub mod m;\nmod inner {}\n"),
            "crate::a@1 crate::a::b@1 crate::a::c@1 self::m@2");
  EXPECT_EQ(Imports("Perl", "use My::Mod;\nmy $use = 1;"), "My::Mod@1");
  EXPECT_EQ(Imports("C#", "using System.Text;\nusing (var x = y) {}"), "System.Text@1");
  EXPECT_EQ(Imports("Lua", "local m = require(\"a.b\")"), "a.b@1");
  EXPECT_EQ(Imports("PHP", "require_once 'x.php';\nuse A\\B;"), "x.php@1 A\\B@2");
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
