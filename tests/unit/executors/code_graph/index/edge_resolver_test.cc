#include "executors/code_graph/index/edge_resolver.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/code_graph_fixture.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Rows = std::vector<std::string>;

class EdgeResolverTest : public testing::CodeGraphFixture {
 protected:
  // "source > target.path:target" of the relationships of a type.
  Rows Edges(std::string_view type) {
    return Query(absl::StrCat("MATCH (a)-[:", std::string(type),
                              "]->(b:Symbol) RETURN coalesce(a.qualifiedName, a.path) + ' > ' + b.path + ':' + "
                              "b.qualifiedName + ' ' + labels(b)[1] AS edge ORDER BY edge"));
  }
};

TEST_F(EdgeResolverTest, PrefersTheOwnFileThenIncludesThenAUniqueName) {
  Write("a.c",
        "#include \"inc.h\"\nstatic void own(void) {}\nvoid f(void) {\n  own();\n  inc();\n  far_away();\n  "
        "both();\n}\n");
  Write("b.c", "static void own(void) {}\nvoid far_away(void) {}\nvoid both(void) {}\n");
  Write("c.c", "void both(void) {}\n");
  Write("inc.h", "static inline void inc(void) {}\n");
  Write("other.h", "static inline void inc(void) {}\n");
  EXPECT_EQ(Edges("CALLS"), (Rows{"f > a.c:own Function", "f > b.c:both Function", "f > b.c:far_away Function",
                                  "f > c.c:both Function", "f > inc.h:inc Function"}));
}

TEST_F(EdgeResolverTest, FollowsPrototypesToTheirDefinition) {
  Write("api.h", "int api(int a);\nint missing(int a);\n");
  Write("deep.h", "#include \"api.h\"\n");
  Write("api.c", "#include \"api.h\"\nint api(int a) {\n  return a;\n}\n");
  Write("main.c", "#include \"deep.h\"\nint main(void) {\n  return api(1) + missing(2);\n}\n");
  EXPECT_EQ(Edges("CALLS"), (Rows{"main > api.c:api Function", "main > api.h:missing Prototype"}));
}

TEST_F(EdgeResolverTest, UsesScopesAndQualifiers) {
  Write("a.py",
        "class A:\n  def run(self):\n    self.step()\n  def step(self): pass\n"
        "class B:\n  def step(self): pass\n"
        "def go():\n  A.step()\n  x.step()\n");
  EXPECT_EQ(Edges("CALLS"), (Rows{"A.run > a.py:A.step Method", "go > a.py:A.step Method"}));
}

TEST_F(EdgeResolverTest, TakesNoSymbolForAQualifiedNameFromElsewhere) {
  Write("a.cc", "void move(int x) {}\nvoid f() {\n  std::move(1);\n  mine::move(2);\n}\n");
  EXPECT_EQ(Edges("CALLS"), Rows{});
}

TEST_F(EdgeResolverTest, GivesOneRelationshipForEachOverload) {
  Write("a.cc", "void put(int) {\n}\nvoid put(char) {\n}\nvoid f() {\n  put(1);\n}\n");
  EXPECT_EQ(Query("MATCH (a)-[r:CALLS]->(b) RETURN a.name, b.line, r.count ORDER BY b.line"),
            (Rows{"f | 1 | 1", "f | 3 | 1"}));
}

TEST_F(EdgeResolverTest, DoesNotMixLanguages) {
  Write("a.py", "def shared_name():\n  pass\n");
  Write("b.c", "void f(void) {\n  shared_name();\n}\n");
  EXPECT_EQ(Edges("CALLS"), Rows{});
}

TEST_F(EdgeResolverTest, FindsBasesAndReferences) {
  Write("base.h", "class Base {\n};\nstruct Item {\n  int size;\n};\n#define LIMIT 3\n");
  Write("a.cc", "#include \"base.h\"\nclass A : public Base {\n};\nint f(Item* it) {\n  return it->size + LIMIT;\n}\n");
  EXPECT_EQ(Edges("EXTENDS"), Rows{"A > base.h:Base Class"});
  EXPECT_EQ(Edges("REFERENCES"), (Rows{"A > base.h:Base Class", "f > base.h:Item Struct", "f > base.h:Item::size Field",
                                       "f > base.h:LIMIT Macro"}));
}

TEST_F(EdgeResolverTest, PutsMembersThatAreDefinedElsewhereIntoTheirClass) {
  Write("a.h", "namespace n {\nclass A {\n public:\n  void f();\n};\n}\n");
  Write("a.cc", "#include \"a.h\"\nvoid n::A::f() {\n}\n");
  EXPECT_EQ(Query("MATCH (c:Class)-[:CONTAINS]->(m) RETURN c.name, m.path, labels(m)[1] ORDER BY m.path"),
            (Rows{"A | a.cc | Method", "A | a.h | Prototype"}));
}

TEST_F(EdgeResolverTest, KeepsModulesForImportsThatAreNoFiles) {
  Write("a.py", "import os\nimport pkg.mod\nfrom pkg import mod, name\n");
  Write("pkg/mod.py", "");
  EXPECT_EQ(
      Query(
          "MATCH (:File {path: 'a.py'})-[r:IMPORTS]->(x) RETURN r.name, labels(x)[0], r.line ORDER BY r.line, r.name"),
      (Rows{"os | Module | 1", "pkg.mod | File | 2", "pkg | Module | 3", "pkg.mod | File | 3"}));
}

// Everything in the graph but ids, as text.
std::string Dump(const StoredGraph& graph) {
  std::vector<std::string> rows = testing::RowsOf(
      graph,
      "MATCH (n) RETURN labels(n), n.path, n.name, n.kind, n.line, n.endLine, n.signature, n.scope, n.lines, n.size");
  for (std::string& row : testing::RowsOf(
           graph,
           "MATCH (a)-[r]->(b) RETURN type(r), r.line, r.count, r.name, labels(a), a.path, a.name, a.qualifiedName, "
           "a.line, labels(b), b.path, b.name, b.qualifiedName, b.line")) {
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end());
  std::string text;
  for (const std::string& row : rows) absl::StrAppend(&text, row, "\n");
  return text;
}

// Random edits of files that call, include and shadow each other: the graph that follows them is that of a fresh index.
TEST_F(EdgeResolverTest, ChangesGiveTheSameGraphAsANewIndex) {
  std::mt19937 random(20'240'229);
  const auto pick = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
  const auto path_of = [](int i) { return absl::StrCat(i % 3 == 0 ? "lib/" : "", "f", i, i % 2 == 0 ? ".h" : ".cc"); };
  const auto content = [&] {
    std::string text;
    for (int i = pick(3); i > 0; --i)
      absl::StrAppend(&text, "#include \"f", pick(10), pick(2) == 0 ? ".h" : ".cc", "\"\n");
    for (int i = pick(4); i > 0; --i) {
      switch (pick(5)) {
        case 0:
          absl::StrAppend(&text, "int name", pick(6), "(int a);\n");
          break;
        case 1:
          absl::StrAppend(&text, "class Type", pick(4), " : public Type", pick(4), " {\n  void name", pick(6),
                          "();\n};\n");
          break;
        case 2:
          absl::StrAppend(&text, "void Type", pick(4), "::name", pick(6), "() {\n  name", pick(6), "();\n}\n");
          break;
        default:
          absl::StrAppend(&text, pick(2) == 0 ? "static " : "", "int name", pick(6), "() {\n  name", pick(6), "(Type",
                          pick(4), "());\n  x.name", pick(6), "();\n}\n");
      }
    }
    return text;
  };
  for (int i = 0; i < 10; ++i) Write(path_of(i), content());
  Refresh();
  for (int round = 0; round < 40; ++round) {
    for (int i = 1 + pick(3); i > 0; --i) {
      const std::string path = path_of(pick(10));
      if (pick(4) == 0) {
        Remove(path);
      } else {
        Write(path, content());
      }
    }
    Refresh();
    auto fresh = GraphDatabase::Open(absl::StrCat(temp_.path(), "/fresh", round, ".db"));
    ASSERT_TRUE(fresh.ok());
    RefreshProgress progress;
    auto connection = (*fresh)->OpenToWrite();
    ASSERT_TRUE(index::Refresh(
                    *directory_, **connection, options_, [] { return true; }, progress)
                    .ok());
    ASSERT_EQ(Dump(*Graph()), Dump(**StoredGraph::Open(**fresh))) << "round " << round;
  }
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
