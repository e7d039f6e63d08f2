// Runs the tables of tests/integration/executors/cypher/cases: queries in the terms of openCypher and what they answer.
//
// A line is {"expression","value"} for `RETURN expression AS value`, or {"query","rows"} with "params", "columns" and
// "ordered"; "graph" names a graph that an earlier line defined with "define" and "create". "error" is "Kind/Detail",
// where "*" is any; "phase" is "compile" or "runtime".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/json.h"
#include "executors/cypher/inspection/inspect_cypher.h"
#include "tests/support/source_dir.h"

namespace toolgate::executors::cypher {
namespace {

std::vector<Json> Lines(const std::string& name) {
  std::ifstream file(absl::StrCat(SourceDir(), "/tests/integration/executors/cypher/cases/", name, ".jsonl"));
  EXPECT_TRUE(file.good()) << name;
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    absl::StatusOr<Json> json = ParseJson(line);
    EXPECT_TRUE(json.ok()) << json.status() << ": " << line;
    if (json.ok()) lines.push_back(*std::move(json));
  }
  return lines;
}

std::vector<std::string> Dumped(const Json& rows, bool ordered) {
  std::vector<std::string> texts;
  for (const Json& row : rows) texts.push_back(CanonicalJson(row));
  if (!ordered) std::sort(texts.begin(), texts.end());
  return texts;
}

// Distinguishes 1 from 1.0, which CanonicalJson does not.
std::string Exact(const Json& value) { return DumpJson(value); }

bool Agrees(const std::string& expected, const std::string& actual) { return expected == "*" || expected == actual; }

void CheckError(const Json& expected, const Json& answer) {
  ASSERT_TRUE(answer.contains("error")) << DumpJson(answer);
  const Json& error = answer["error"];
  std::vector<std::string> words = absl::StrSplit(expected["error"].get<std::string>(), '/');
  words.resize(2, "*");
  EXPECT_TRUE(Agrees(words[0], error.value("kind", ""))) << DumpJson(answer);
  EXPECT_TRUE(Agrees(words[1], error.value("detail", ""))) << DumpJson(answer);
  if (expected.contains("phase")) {
    EXPECT_EQ(error.value("phase", ""), expected["phase"].get<std::string>());
  }
}

void Check(const Json& expected, const Json& answer) {
  if (expected.contains("error")) return CheckError(expected, answer);
  ASSERT_TRUE(answer.contains("rows")) << DumpJson(answer);
  if (expected.contains("value")) {
    ASSERT_EQ(answer["rows"].size(), 1u);
    EXPECT_EQ(Exact(answer["rows"][0][0]), Exact(expected["value"]));
    return;
  }
  const bool ordered = expected.value("ordered", false);
  EXPECT_EQ(Dumped(answer["rows"], ordered), Dumped(expected["rows"], ordered));
  if (expected.contains("columns")) {
    EXPECT_EQ(DumpJson(answer["columns"]), DumpJson(expected["columns"]));
  }
}

class ConformanceTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ConformanceTest, EveryLineAnswersAsWritten) {
  std::map<std::string, Json> graphs;
  size_t checked = 0;
  for (const Json& line : Lines(GetParam())) {
    if (line.contains("define")) {
      graphs[line["define"].get<std::string>()] = line["create"];
      continue;
    }
    Json input = Json::object();
    input["query"] = line.contains("expression")
                         ? absl::StrCat("RETURN ", line["expression"].get<std::string>(), " AS value")
                         : line["query"].get<std::string>();
    if (line.contains("params")) input["params"] = line["params"];
    if (line.contains("graph")) input["create"] = graphs.at(line["graph"].get<std::string>());
    SCOPED_TRACE(DumpJson(line));
    const absl::StatusOr<Json> answer = ParseJson(inspection::InspectCypher(DumpJson(input)));
    ASSERT_TRUE(answer.ok()) << answer.status();
    Check(line, *answer);
    ++checked;
  }
  EXPECT_GT(checked, 10u);
}

INSTANTIATE_TEST_SUITE_P(Cases, ConformanceTest,
                         ::testing::Values("expressions", "functions", "lists_and_maps", "projecting", "reading",
                                           "refusals"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace toolgate::executors::cypher
