#include "executors/code_graph/graph_query.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"
#include "executors/code_graph/code_graph_tools.h"
#include "executors/code_graph/settings.pb.h"
#include "executors/family.h"
#include "executors/registration/registration.h"
#include "google/protobuf/duration.pb.h"
#include "gtest/gtest.h"
#include "tests/support/tool_harness.h"

namespace toolgate::executors::code_graph {
namespace {

CatalogOptions OptionsWith(const std::function<void(CodeGraphSettings&)>& adjust) {
  CatalogOptions options;
  EXPECT_TRUE(AddDefaults({CodeGraphFamily()}, options.settings).ok());
  adjust(*options.settings.MutableExtension(CodeGraphSettings::code_graph));
  return options;
}

void SetMilliseconds(int count, google::protobuf::Duration& duration) {
  duration.set_seconds(0);
  duration.set_nanos(count * 1'000'000);
}

class GraphQueryTest : public ::testing::Test {
 protected:
  explicit GraphQueryTest(const std::function<void(CodeGraphSettings&)>& adjust = [](CodeGraphSettings&) {})
      : harness_(OptionsWith(adjust)) {
    std::filesystem::create_directories(harness_.files() + "/test");
  }

  void Put(const std::string& path, const std::string& content) {
    const std::filesystem::path at = harness_.files() + "/test/" + path;
    std::filesystem::create_directories(at.parent_path());
    std::ofstream(at, std::ios::binary) << content;
  }
  Json Query(std::string_view query, const Json& params = Json::object()) {
    const auto answer = harness_.Call("GraphQuery", {{"query", std::string(query)}, {"params", params}});
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.value_or(Json());
  }
  ToolError Failure(std::string_view query) {
    const auto answer = harness_.Call("GraphQuery", {{"query", std::string(query)}});
    EXPECT_FALSE(answer.ok());
    return GetToolError(answer.status()).value_or(ToolError());
  }
  static std::string Fact(const ToolError& error, std::string_view name) {
    for (const auto& [key, value] : error.facts) {
      if (key == name) return value;
    }
    return "";
  }

  testing::ToolHarness harness_;
};

TEST_F(GraphQueryTest, AnswersRowsByColumn) {
  Put("a.c", "void f(void) {\n}\nvoid g(void) {\n  f();\n}\n");
  EXPECT_EQ(Query("MATCH (a)-[:CALLS]->(b) RETURN a.name AS caller, b.line"),
            (Json{{"columns", {"caller", "b.line"}}, {"rows", {{{"caller", "g"}, {"b.line", 1}}}}}));
}

TEST_F(GraphQueryTest, ShowsNodesRelationshipsAndPaths) {
  Put("a.c", "void f(void) {\n}\nvoid g(void) {\n  f();\n}\n");
  const Json answer = Query("MATCH p = (a:Function {name: 'g'})-[r:CALLS]->(b) RETURN b, r, p");
  const Json& row = answer["rows"][0];
  EXPECT_EQ(row["b"]["labels"], Json({"Symbol", "Function"}));
  EXPECT_EQ(row["b"]["properties"]["qualifiedName"], "f");
  EXPECT_EQ(row["r"]["type"], "CALLS");
  EXPECT_EQ(row["r"]["properties"], (Json{{"count", 1}, {"line", 4}}));
  EXPECT_EQ(row["p"]["nodes"].size(), 2u);
}

TEST_F(GraphQueryTest, TakesParameters) {
  Put("a.c", "int one;\nint two;\n");
  EXPECT_EQ(Query("MATCH (v:Variable) WHERE v.name IN $names RETURN v.line", {{"names", {"two", "three"}}})["rows"],
            (Json{{{"v.line", 2}}}));
  EXPECT_EQ(Failure("MATCH (v {name: $name}) RETURN v").code, ErrorCode::kInvalidParams);
}

TEST_F(GraphQueryTest, HintsAtNamesThatTheGraphDoesNotHave) {
  Put("a.c", "void f(void) {\n}\n");
  const Json answer = Query("MATCH (f:Fuction) RETURN f.name");
  EXPECT_EQ(answer["rows"], Json::array());
  EXPECT_EQ(answer["hints"], (Json{"unknown label \"Fuction\"; did you mean \"Function\"?"}));
  EXPECT_FALSE(Query("MATCH (f:Function) RETURN f.name").contains("hints"));
}

TEST_F(GraphQueryTest, SeesEveryChangeOfAFileAtOnce) {
  for (int i = 0; i < 5; ++i) {
    Put("a.py", absl::StrCat("def f", i, "(): pass\n"));
    EXPECT_EQ(Query("MATCH (f:Function) RETURN f.name")["rows"], (Json{{{"f.name", absl::StrCat("f", i)}}}));
  }
  ASSERT_TRUE(harness_.Call("Write", {{"file", "a.py"}, {"content", "def by_tool(): pass\n"}}).ok());
  EXPECT_EQ(Query("MATCH (f:Function) RETURN f.name")["rows"], (Json{{{"f.name", "by_tool"}}}));
  std::filesystem::remove(harness_.files() + "/test/a.py");
  EXPECT_EQ(Query("MATCH (f:File) RETURN f.path")["rows"], Json::array());
}

TEST_F(GraphQueryTest, RefusesWhatIsNoQueryWithThePlace) {
  const ToolError error = Failure("MATCH (n)\nRETURN m");
  EXPECT_EQ(error.code, ErrorCode::kInvalidParams);
  EXPECT_EQ(Fact(error, "kind"), "SyntaxError");
  EXPECT_EQ(Fact(error, "detail"), "UndefinedVariable");
  EXPECT_EQ(Fact(error, "line"), "2");
  EXPECT_EQ(Fact(error, "column"), "8");
  EXPECT_NE(error.message.find("line 2, column 8"), std::string::npos) << error.message;
  ASSERT_EQ(error.violations.size(), 1u);
  EXPECT_EQ(error.violations[0].path, "/query");
}

TEST_F(GraphQueryTest, RefusesEveryClauseThatWrites) {
  Put("a.c", "int x;\n");
  for (const std::string_view query :
       {"CREATE (n)", "MATCH (n) SET n.x = 1", "MATCH (n) DELETE n", "MATCH (n) DETACH DELETE n", "MERGE (n)",
        "MATCH (n) REMOVE n.x", "MATCH (n) CREATE (m) RETURN m", "CALL db.labels()",
        "LOAD CSV FROM 'x' AS row RETURN row"}) {
    EXPECT_EQ(Failure(query).code, ErrorCode::kInvalidParams) << query;
  }
  // Refused before anything was indexed.
  EXPECT_EQ(Query("MATCH (f:File) RETURN count(*) AS n")["rows"][0]["n"], 1);
}

TEST_F(GraphQueryTest, ReportsErrorsThatArePartOfTheRun) {
  Put("a.c", "int x;\n");
  const ToolError error = Failure("MATCH (n:Variable) RETURN toInteger(n)");
  EXPECT_EQ(error.code, ErrorCode::kInvalidParams);
  EXPECT_EQ(Fact(error, "kind"), "TypeError");
}

TEST_F(GraphQueryTest, MarksItsAnswerAsTextFromOutside) {
  const Tool* const tool = harness_.catalog().Find("GraphQuery");
  ASSERT_NE(tool, nullptr);
  EXPECT_TRUE(tool->read_only());
  EXPECT_FALSE(tool->definition.annotations.open_world);
  EXPECT_EQ(tool->definition.permissions, std::vector<std::string>{"graph:read"});
  EXPECT_EQ(tool->definition.confirmation, ConfirmationRule::kNever);
}

class BoundedGraphQueryTest : public GraphQueryTest {
 protected:
  BoundedGraphQueryTest()
      : GraphQueryTest([](CodeGraphSettings& settings) {
          settings.set_max_rows(3);
          settings.set_max_answer_bytes(1024);
          SetMilliseconds(1000, *settings.mutable_max_time());
          settings.set_max_memory_bytes(1 << 20);
          settings.set_max_files(4);
        }) {}
};

TEST_F(BoundedGraphQueryTest, CutsAnswers) {
  EXPECT_EQ(Query("UNWIND range(1, 3) AS i RETURN i").contains("truncated"), false);
  const Json rows = Query("UNWIND range(1, 4) AS i RETURN i");
  EXPECT_EQ(rows["rows"].size(), 3u);
  EXPECT_EQ(rows["truncated"], true);
  const Json bytes = Query("UNWIND range(1, 2) AS i RETURN reduce(s = '', x IN range(1, 600) | s + 'x') AS text");
  EXPECT_EQ(bytes["rows"].size(), 1u);
  EXPECT_EQ(bytes["truncated"], true);
}

TEST_F(BoundedGraphQueryTest, StopsQueriesThatTakeTooLongOrTooMuch) {
  EXPECT_EQ(
      Fact(Failure("UNWIND range(1, 9999) AS a UNWIND range(1, 9999) AS b UNWIND range(1, 9999) AS c RETURN count(*)"),
           "detail"),
      "TimeLimitExceeded");
  EXPECT_EQ(Fact(Failure("UNWIND range(1, 10000) AS a RETURN collect(toString(a) + 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                         "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')"),
                 "detail"),
            "MemoryLimitExceeded");
}

TEST_F(BoundedGraphQueryTest, SaysThatFilesAreLeftOut) {
  for (int i = 0; i < 4; ++i) Put(absl::StrCat("f", i, ".c"), "");
  EXPECT_EQ(Query("RETURN 1").contains("filesLeftOut"), false);
  Put("f5.c", "");
  EXPECT_EQ(Query("RETURN 1")["filesLeftOut"], true);
}

class ImpatientGraphQueryTest : public GraphQueryTest {
 protected:
  ImpatientGraphQueryTest()
      : GraphQueryTest([](CodeGraphSettings& settings) { SetMilliseconds(10, *settings.mutable_max_wait()); }) {}
};

TEST_F(ImpatientGraphQueryTest, SaysHowFarTheIndexIsAndKeepsItsProgress) {
  // Few files, so that a look at them takes little of the wait, and many symbols, so that the index takes more.
  for (int i = 0; i < 40; ++i) {
    std::string source;
    for (int v = 0; v < 500; ++v) absl::StrAppend(&source, "int v", i, "_", v, ";\n");
    Put(absl::StrCat("f", i, ".c"), source);
  }
  const auto first = harness_.Call("GraphQuery", {{"query", "MATCH (v:Variable) RETURN count(*) AS n"}});
  ASSERT_FALSE(first.ok());
  const ToolError error = GetToolError(first.status()).value_or(ToolError());
  EXPECT_EQ(error.code, ErrorCode::kTimeout);
  EXPECT_TRUE(error.retryable);
  EXPECT_NE(error.message.find("not up to date yet"), std::string::npos) << error.message;
  for (int tries = 0; tries < 10'000; ++tries) {
    const auto answer = harness_.Call("GraphQuery", {{"query", "MATCH (v:Variable) RETURN count(*) AS n"}});
    if (!answer.ok()) continue;
    EXPECT_EQ((*answer)["rows"][0]["n"], 20000);
    return;
  }
  FAIL() << "the index never was complete";
}

}  // namespace
}  // namespace toolgate::executors::code_graph
