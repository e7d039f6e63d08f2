#include "executors/code_graph/index/fact_builder.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executors/code_graph/index/ctags_process.h"
#include "gtest/gtest.h"

namespace toolgate::executors::code_graph::index {
namespace {

FileFacts FactsOf(std::string_view path, std::string_view content) {
  const absl::StatusOr<std::string> program = FindCtags("");
  EXPECT_TRUE(program.ok()) << program.status();
  auto process = CtagsProcess::Start(*program, {});
  EXPECT_TRUE(process.ok()) << process.status();
  auto tags = (*process)->Parse(CtagsName(path, content), content, [] { return true; });
  EXPECT_TRUE(tags.ok()) << tags.status();
  return BuildFacts(path, content, *std::move(tags));
}

// "Label qualified.name first-last <parent", a line each.
std::string Symbols(const FileFacts& facts) {
  std::string text;
  for (const SymbolFact& symbol : facts.symbols) {
    absl::StrAppend(&text, std::string(LabelName(symbol.label)), " ", symbol.qualified_name, " ", symbol.line, "-",
                    symbol.end_line);
    if (symbol.parent >= 0) absl::StrAppend(&text, " <", facts.symbols[static_cast<size_t>(symbol.parent)].name);
    text += "\n";
  }
  return text;
}

TEST(FactBuilderTest, DescribesC) {
  const FileFacts facts = FactsOf("a/b.c",
                                  "#include <stdio.h>\n"
                                  "#include \"b.h\"\n"
                                  "#define LIMIT 10\n"
                                  "struct item {\n"
                                  "  int size;\n"
                                  "};\n"
                                  "int declared(int a);\n"
                                  "static int count(struct item *it) {\n"
                                  "  return it->size;\n"
                                  "}\n");
  EXPECT_EQ(facts.language, "C");
  EXPECT_EQ(facts.lines, 10);
  EXPECT_EQ(
      Symbols(facts),
      "Macro LIMIT 3-3\nStruct item 4-6\nField item::size 5-5 <item\nPrototype declared 7-7\nFunction count 8-10\n");
  EXPECT_TRUE(facts.symbols[4].file_scope);
  EXPECT_EQ(facts.symbols[4].signature, "(struct item * it)");
  ASSERT_EQ(facts.imports.size(), 2u);
  EXPECT_EQ(facts.imports[0].name, "stdio.h");
  EXPECT_TRUE(facts.imports[0].is_include);
  EXPECT_TRUE(facts.imports[0].is_system);
  EXPECT_EQ(facts.imports[1].name, "b.h");
  EXPECT_EQ(facts.imports[1].line, 2);
}

TEST(FactBuilderTest, DescribesCppWithScopes) {
  EXPECT_EQ(
      Symbols(FactsOf("a.cc",
                      "namespace n {\n"
                      "class A : public Base {\n"
                      " public:\n"
                      "  void f();\n"
                      "  int g() { return 1; }\n"
                      "};\n"
                      "void A::f() {\n"
                      "}\n"
                      "}\n")),
      "Namespace n 1-9\nClass n::A 2-6 <n\nPrototype n::A::f 4-4 <A\nMethod n::A::g 5-5 <A\nMethod n::A::f 7-8 <A\n");
}

TEST(FactBuilderTest, KeepsBaseClasses) {
  const FileFacts facts = FactsOf("a.py", "class A(Base, other.Mixin):\n    pass\n");
  std::vector<std::string> bases;
  for (const Mention& mention : facts.mentions.mentions) {
    if (mention.type == RelationshipType::kExtends) bases.push_back(facts.mentions.names[mention.name]);
  }
  EXPECT_EQ(bases, (std::vector<std::string>{"Base", "Mixin"}));
}

TEST(FactBuilderTest, DescribesPython) {
  const FileFacts facts = FactsOf("a.py",
                                  "import os\n"
                                  "import sys as system\n"
                                  "from a.b import c\n"
                                  "class A:\n"
                                  "    def f(self):\n"
                                  "        return 1\n"
                                  "def g():\n"
                                  "    pass\n");
  EXPECT_EQ(Symbols(facts), "Class A 4-6\nMethod A.f 5-6 <A\nFunction g 7-8\n");
  std::string imports;
  for (const ImportFact& import : facts.imports)
    absl::StrAppend(&imports, import.name, import.only_if_file ? "? " : " ");
  EXPECT_EQ(imports, "os sys a.b a.b.c? ");
}

TEST(FactBuilderTest, FindsEndsThatCtagsDoesNotTell) {
  EXPECT_EQ(Symbols(FactsOf("a.js",
                            "class A {\n"
                            "  m() {\n"
                            "    if (x) { y(); }\n"
                            "  }\n"
                            "}\n"
                            "const f = (a) => {\n"
                            "  return a;\n"
                            "};\n"
                            "const k = 1;\n")),
            "Class A 1-5\nMethod A.m 2-4 <A\nFunction f 6-8\nConstant k 9-9\n");
  EXPECT_EQ(Symbols(FactsOf("a.lua", "function M.f(a)\n  return a\nend\nlocal function g()\nend\n")),
            "Function M.f 1-3\nFunction g 4-5\n");
}

TEST(FactBuilderTest, TellsTheLanguageOfScriptsAndOfFilesWithoutSymbols) {
  EXPECT_EQ(FactsOf("bin/run", "#!/usr/bin/env python3\ndef f(): pass\n").language, "Python");
  EXPECT_EQ(CtagsName("bin/run", "#!/bin/sh\n"), "run.sh");
  EXPECT_EQ(CtagsName("bin/run.c", "#!/bin/sh\n"), "run.c");
  EXPECT_EQ(FactsOf("a/b.json", "{}").language, "JSON");
  EXPECT_EQ(FactsOf("README", "x").language, "");
}

TEST(FactBuilderTest, TakesTagsThatMakeNoSense) {
  std::vector<Tag> tags(300);
  for (size_t i = 0; i < tags.size(); ++i) {
    tags[i].name = i % 2 == 0 ? "a" : "a::a";
    tags[i].scope = i % 3 == 0 ? "a" : "a::a";
    tags[i].language = "C++";
    tags[i].kind = "class";
    tags[i].line = static_cast<int>(1 + (i * 31) % 50);
    tags[i].end = static_cast<int>(i % 7);
  }
  const FileFacts facts = BuildFacts("a.cc", "x", std::move(tags));
  for (const SymbolFact& symbol : facts.symbols) {
    int depth = 0;
    for (int at = symbol.parent; at >= 0; at = facts.symbols[static_cast<size_t>(at)].parent) ASSERT_LT(++depth, 1000);
  }
}

TEST(FactBuilderTest, CountsLines) {
  EXPECT_EQ(BuildFacts("a", "", {}).lines, 0);
  EXPECT_EQ(BuildFacts("a", "x", {}).lines, 1);
  EXPECT_EQ(BuildFacts("a", "x\ny\n", {}).lines, 2);
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
