#include "executors/code_graph/schema_hints.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executors/cypher/engine.h"
#include "gtest/gtest.h"

namespace toolgate::executors::code_graph {
namespace {

std::vector<std::string> HintsFor(std::string_view query) {
  const auto prepared = cypher::PreparedQuery::Prepare(query);
  EXPECT_TRUE(prepared.ok()) << prepared.status();
  return prepared.ok() ? SchemaHints(prepared->UsedNames()) : std::vector<std::string>();
}
using Hints = std::vector<std::string>;

TEST(SchemaHintsTest, NamesTheNearestLabelTypeAndProperty) {
  EXPECT_EQ(HintsFor("MATCH (f:Fuction) RETURN f"), Hints{"unknown label \"Fuction\"; did you mean \"Function\"?"});
  EXPECT_EQ(HintsFor("MATCH (f) WHERE f:method RETURN f"), Hints{"unknown label \"method\"; did you mean \"Method\"?"});
  EXPECT_EQ(HintsFor("MATCH ()-[:CALL|CALLS]->() RETURN 1"),
            Hints{"unknown relationship type \"CALL\"; did you mean \"CALLS\"?"});
  EXPECT_EQ(HintsFor("MATCH (f:Function) WHERE f.qualified_name = 'a' RETURN f.endline"),
            (Hints{"unknown property \"qualified_name\" of Function; did you mean \"qualifiedName\"?",
                   "unknown property \"endline\" of Function; did you mean \"endLine\"?"}));
  EXPECT_EQ(HintsFor("MATCH ({nme: 'a'})-[r:CALLS {lines: 1}]->() RETURN r"),
            (Hints{"unknown property \"nme\"; did you mean \"name\"?",
                   "unknown property \"lines\" of CALLS; did you mean \"line\"?"}));
}

TEST(SchemaHintsTest, TellsAllKnownOnesWhenNoneIsNear) {
  EXPECT_EQ(HintsFor("MATCH ()-[r:CALLS {kind: 1}]->() RETURN r"),
            Hints{"unknown property \"kind\" of CALLS; known: line, count"});
  EXPECT_EQ(HintsFor("MATCH (:File)-[r:DEFINES {xyzzy: 1}]->() RETURN r"),
            Hints{"unknown property \"xyzzy\" of DEFINES; there are none"});
}

TEST(SchemaHintsTest, LooksIntoEveryPartOfAQuery) {
  for (const char* const query :
       {"MATCH (n:File) WHERE EXISTS { MATCH (n)-[:DEFINE]->() } RETURN n",
        "MATCH (n) WHERE (n)-[:DEFINE]->() RETURN n", "MATCH (n) RETURN [(n)-[:DEFINE]->(m) | m.name]",
        "MATCH (n) RETURN n UNION MATCH (n)-[:DEFINE]->() RETURN n", "MATCH (n)-[r]->() WHERE r:DEFINE RETURN n"}) {
    EXPECT_EQ(HintsFor(query), Hints{"unknown relationship type \"DEFINE\"; did you mean \"DEFINES\"?"}) << query;
  }
}

TEST(SchemaHintsTest, IsSilentOnWhatIsKnownOrNotANode) {
  for (const char* const query :
       {"MATCH (f:File)-[r:IMPORTS]->(m:Module) RETURN f.path, r.line, m.name", "MATCH (s:Schema) RETURN s.count, s.to",
        "WITH {anything: 1} AS m RETURN m.anything", "MATCH (n) WITH {x: n.name} AS n RETURN n.x",
        "UNWIND [{a: 1}] AS n RETURN n.a", "MATCH (n) RETURN [m IN [{b: 1}] | m.b]",
        "MATCH p = (a)-[r:CALLS*1..3]->(b) RETURN [x IN r | x.line]"}) {
    EXPECT_EQ(HintsFor(query), Hints{}) << query;
  }
}

TEST(SchemaHintsTest, AreFewAndShort) {
  std::string query = "MATCH (n) RETURN 1";
  for (int i = 0; i < 40; ++i) absl::StrAppend(&query, ", n.`", std::string(5000, 'x'), i, "`");
  const Hints hints = HintsFor(query);
  EXPECT_EQ(hints.size(), kMaxHints);
  for (const std::string& hint : hints) EXPECT_LT(hint.size(), 400u);
}

}  // namespace
}  // namespace toolgate::executors::code_graph
