// SQLite recurses into nested parts. Here statements run on a small stack: too deep nesting is refused, and the process
// survives.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/fibers/fiber.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/sql_sandbox.h"

namespace toolgate::executors::sql::engine {
namespace {

// Half of a call's stack in the service.
constexpr size_t kStack = size_t{512} << 10;

class NobodyWaits final : public fibers::FiberScheduler {
 public:
  void Resume(fibers::Fiber&) override {}
};

class DepthTest : public ::testing::Test {
 protected:
  absl::StatusOr<Json> Run(std::string_view sql) {
    NobodyWaits scheduler;
    fibers::Fiber fiber(scheduler, kStack);
    absl::StatusOr<Json> answer;
    fiber.Take([&] { answer = sandbox_.Run(sql); });
    EXPECT_TRUE(fiber.Run());
    return answer;
  }

  // The only value of the only row.
  Json Value(std::string_view sql) {
    const auto answer = Run(sql);
    if (!answer.ok()) return answer.status().ToString();
    return answer->at("rows").at(0).begin().value();
  }

  void ExpectTooDeep(std::string_view sql) { ExpectError(sql, ErrorCode::kQuotaExceeded, "nested too deep"); }

  void ExpectError(std::string_view sql, ErrorCode code, const std::string& says) {
    const auto answer = Run(sql);
    ASSERT_FALSE(answer.ok()) << sql.substr(0, 200);
    const auto error = GetToolError(answer.status());
    ASSERT_TRUE(error.has_value()) << answer.status();
    EXPECT_EQ(ErrorCodeName(error->code), ErrorCodeName(code)) << sql.substr(0, 200) << ": " << error->message;
    EXPECT_THAT(error->message, ::testing::HasSubstr(says)) << sql.substr(0, 200);
  }

  // Objects that only fail when used are kept.
  void MustRun(std::string_view sql) {
    const auto answer = Run(sql);
    ASSERT_TRUE(answer.ok()) << sql << ": " << answer.status();
  }

  // Ample time: these tests are not about speed.
  testing::SqlSandbox sandbox_{[](SqlLimits& limits) { limits.max_time = absl::Minutes(5); }};
};

std::string Repeat(std::string_view text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += text;
  return repeated;
}

// WITH a0 AS (SELECT 1 x), a1 AS (body with $ for a0), … SELECT * FROM the last one.
std::string Chain(int length, std::string_view before, std::string_view after) {
  std::string sql = "WITH a0 AS (SELECT 1 x)";
  for (int i = 1; i <= length; ++i) {
    absl::StrAppend(&sql, ", a", i, " AS (", ToAbsl(before), " a", i - 1, ToAbsl(after), ")");
  }
  return absl::StrCat(sql, " SELECT * FROM a", length);
}

TEST_F(DepthTest, QueriesOfWithInARowAreBounded) {
  const struct {
    const char* before;
    const char* after;
  } kBodies[] = {
      {"SELECT x FROM", ""},
      {"SELECT DISTINCT x FROM", " LIMIT 5"},
      {"SELECT count(*) x FROM", " GROUP BY x"},
      {"SELECT sum(x) OVER (ORDER BY x) x FROM", ""},
      {"SELECT 1 x UNION ALL SELECT x FROM", " ORDER BY 1 LIMIT 3"},
      {"SELECT 1 x UNION SELECT x FROM", ""},
      {"SELECT 1 x EXCEPT SELECT x FROM", ""},
      {"SELECT (SELECT x FROM", ") + 1 x"},
      {"SELECT 1 x WHERE 1 IN (SELECT x FROM", ")"},
      {"SELECT 1 x WHERE EXISTS (SELECT 1 FROM", ")"},
      {"SELECT p.x FROM (SELECT 1 x) o LEFT JOIN", " p ON p.x = o.x"},
      {"SELECT 1+(1*(1+(1*(1+(1*(1+(1*(1+(1*(1+(1*(SELECT x FROM", ")))))))))))) x"},
      {"SELECT abs(abs(abs(abs(abs(abs(abs(abs(abs(abs((SELECT x FROM", "))))))))))) x"},
      {"SELECT CASE 1 WHEN CASE 1 WHEN CASE 1 WHEN 2 THEN 3 ELSE (SELECT x FROM", ") END THEN 3 END THEN 4 END x"},
  };
  for (const auto& body : kBodies) {
    for (const int length : {1000, 3000}) ExpectTooDeep(Chain(length, body.before, body.after));
  }
}

TEST_F(DepthTest, OrdinaryDepthIsAllowed) {
  EXPECT_EQ(Value(Chain(100, "SELECT x + 1 x FROM", "")), 101);
  EXPECT_EQ(Value(Chain(100, "SELECT DISTINCT x FROM", " LIMIT 5")), 1);
  EXPECT_EQ(Value("SELECT " + Repeat("1+", 190) + "1"), 191);
  MustRun("SELECT 1" + Repeat(" UNION SELECT 2", 49));
}

TEST_F(DepthTest, ViewsInARowAreBounded) {
  MustRun("CREATE VIEW ai_v0 AS SELECT 1 x");
  for (int i = 1; i <= 250; ++i) {
    MustRun(absl::StrCat("CREATE VIEW ai_v", i, " AS SELECT 1 x UNION ALL SELECT x FROM ai_v", i - 1,
                         " ORDER BY 1 LIMIT 3"));
  }
  ExpectTooDeep("SELECT * FROM ai_v250");
  EXPECT_EQ(Value("SELECT count(*) FROM ai_v50"), 3);
  MustRun("DROP VIEW ai_v250");
}

TEST_F(DepthTest, TriggersInARowAreBounded) {
  for (int i = 0; i <= 180; ++i) MustRun(absl::StrCat("CREATE TABLE ai_t", i, "(x)"));
  for (int i = 0; i < 180; ++i) {
    MustRun(absl::StrCat("CREATE TRIGGER ai_g", i, " AFTER INSERT ON ai_t", i, " BEGIN INSERT INTO ai_t", i + 1,
                         " VALUES (1); END"));
  }
  ExpectTooDeep("INSERT INTO ai_t0 VALUES (1)");
  MustRun("INSERT INTO ai_t100 VALUES (1)");
  EXPECT_EQ(Value("SELECT count(*) FROM ai_t180"), 1);
}

TEST_F(DepthTest, ForeignKeysInARowAreBounded) {
  MustRun("CREATE TABLE ai_t0(x PRIMARY KEY)");
  for (int i = 1; i <= 150; ++i) {
    MustRun(absl::StrCat("CREATE TABLE ai_t", i, "(x PRIMARY KEY REFERENCES ai_t", i - 1, " ON DELETE CASCADE)"));
  }
  ExpectTooDeep("DELETE FROM ai_t0");
  MustRun("DELETE FROM ai_t80");
}

TEST_F(DepthTest, PathsThatMakeWhatTheySayAreBounded) {
  for (const char* const function : {"json_set", "json_insert"}) {
    const std::string call = absl::StrCat("SELECT ", function, "('{}', ");
    const std::string says = absl::StrCat(function, "(): a path has at most 100 steps");
    ExpectError(absl::StrCat(call, "'$", Repeat(".a", 4500), "', 1)"), ErrorCode::kInvalidParams, says);
    ExpectError(absl::StrCat(call, "'$.b', 1, '$", Repeat("[0]", 4500), "', 1)"), ErrorCode::kInvalidParams, says);
    // Created while the statement runs.
    ExpectError(absl::StrCat(call, "'$' || replace(hex(zeroblob(100000)), '00', '.a'), 1)"), ErrorCode::kInvalidParams,
                says);
    EXPECT_EQ(Value(absl::StrCat(call, "'$", Repeat(".a", 100), "', 1)")),
              Repeat("{\"a\":", 100) + "1" + Repeat("}", 100));
  }
}

TEST_F(DepthTest, TheFunctionsThatSetInJsonAnswerAsSqliteDoes) {
  EXPECT_EQ(Value("SELECT json_set('{\"a\":1}', '$.a', 2, '$.b', 'x', '$.c', NULL)"),
            "{\"a\":2,\"b\":\"x\",\"c\":null}");
  EXPECT_EQ(Value("SELECT json_insert('{\"a\":1}', '$.a', 2, '$.b', 1.5)"), "{\"a\":1,\"b\":1.5}");
  EXPECT_EQ(Value("SELECT json_set('[]', '$[#]', json('[1, 2]'), '$[#]', '[1, 2]')"), "[[1,2],\"[1, 2]\"]");
  // Other functions accept their results as JSON.
  EXPECT_EQ(Value("SELECT json_array(json_set('{}', '$.a', 1))"), "[{\"a\":1}]");
  EXPECT_EQ(Value("SELECT json_set(NULL, '$.a', 1)"), Json());
  EXPECT_EQ(Value("SELECT json_set('{}', NULL, 1)"), "{}");
  EXPECT_EQ(Value("SELECT json_set('{}')"), "{}");
  ExpectError("SELECT json_set('{', '$.a', 1)", ErrorCode::kInvalidParams, "malformed JSON");
  ExpectError("SELECT json_set('{}', 'a', 1)", ErrorCode::kInvalidParams, "JSON path error near 'a'");
  ExpectError("SELECT json_set('{}', '$.a')", ErrorCode::kInvalidParams, "odd number of arguments");
  ExpectError("SELECT json_set('{}', '$.a', x'00')", ErrorCode::kInvalidParams, "BLOB");
  MustRun("CREATE TABLE ai_t(id INTEGER PRIMARY KEY, a, b AS (json_set(a, '$.b', id)))");
  MustRun("INSERT INTO ai_t(a) VALUES ('{}'), ('{\"b\":9}')");
  MustRun("CREATE INDEX ai_i ON ai_t(json_set(a, '$.c', 1))");
  EXPECT_EQ(Value("SELECT group_concat(b) FROM ai_t"), "{\"b\":1},{\"b\":2}");
}

TEST_F(DepthTest, JsonAsDeepAsSqliteReadsFits) {
  const std::string deep = Repeat("[", 2000) + Repeat("]", 2000);
  const std::string path = "$" + Repeat("[0]", 1999);
  EXPECT_EQ(Value("SELECT json_valid('" + deep + "')"), 1);
  EXPECT_EQ(Value("SELECT length(json('" + deep + "'))"), 4000);
  EXPECT_EQ(Value("SELECT json_extract('" + deep + "', '" + path + "')"), "[]");
  EXPECT_EQ(Value("SELECT length(json_remove('" + deep + "', '" + path + "'))"), 3998);
  EXPECT_EQ(Value("SELECT length(json_replace('" + deep + "', '" + path + "', 1))"), 3999);
  EXPECT_EQ(Value("SELECT length(json_set('" + deep + "', '$[1]', 1))"), 4002);
  EXPECT_EQ(Value("SELECT max(length(fullkey)) FROM json_tree('" + deep + "')"), 1 + 3 * 1999);
  ExpectError("SELECT json('" + Repeat("[", 100'000) + "')", ErrorCode::kInvalidParams, "malformed JSON");
}

}  // namespace
}  // namespace toolgate::executors::sql::engine
