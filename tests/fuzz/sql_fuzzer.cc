// Runs any text as a statement on a small private database: an answer or a ToolError, never a crash; only objects named
// ai_… are created, the database stays readable, and changes can be taken back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/tool_error.h"
#include "tests/support/sql_sandbox.h"

namespace {

using toolgate::testing::SqlSandbox;

constexpr toolgate::executors::sql::engine::SqlLimits kLimits{.max_rows = 20,
                                                              .max_answer_bytes = 8 << 10,
                                                              .max_time = absl::Milliseconds(200),
                                                              .max_database_bytes = 1 << 20,
                                                              .max_memory_bytes = 16 << 20,
                                                              .max_undo_bytes = 256 << 10};

// The pages of the database that each input begins with.
const std::vector<std::string>& SmallDatabase() {
  static const auto* const pages = [] {
    SqlSandbox sandbox(kLimits);
    for (const char* sql :
         {"CREATE TABLE ai_t(id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT UNIQUE, b REAL, c AS (a || b))",
          "CREATE TABLE ai_w(k TEXT COLLATE NOCASE, n INT, PRIMARY KEY (n, k)) WITHOUT ROWID",
          "CREATE TABLE ai_c(t REFERENCES ai_t(id) ON DELETE CASCADE, d)",
          "INSERT INTO ai_t(a, b) VALUES ('one', 1.5), ('two', NULL), ('three', 3)",
          "INSERT INTO ai_w VALUES ('x', 1), ('y', 2)", "INSERT INTO ai_c VALUES (1, '{\"a\":[1,2]}'), (2, x'00ff')",
          "CREATE INDEX ai_i ON ai_t(b)", "CREATE VIEW ai_v AS SELECT a, d FROM ai_t LEFT JOIN ai_c ON t = id",
          "CREATE TRIGGER ai_g AFTER UPDATE ON ai_t BEGIN INSERT INTO ai_w VALUES (new.a, new.id); END"}) {
      if (!sandbox.Run(sql).ok()) std::abort();
    }
    return new std::vector<std::string>(sandbox.pages().pages);
  }();
  return *pages;
}

void Check(bool right, std::string_view what, std::string_view sql) {
  if (right) return;
  std::cerr << what << ": " << sql << "\n";
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  SqlSandbox sandbox(kLimits);
  sandbox.pages().pages = SmallDatabase();
  const std::string before = sandbox.Dump();
  const auto answer = sandbox.Run(sql);
  if (!answer.ok()) {
    Check(toolgate::GetToolError(answer.status()).has_value(), answer.status().ToString(), sql);
    Check(sandbox.pages().pages == SmallDatabase(), "a refused statement left something", sql);
    return 0;
  }
  const auto change = sandbox.last().change;
  const auto names = sandbox.Run(
      "SELECT name FROM sqlite_schema WHERE lower(substr(name, 1, 3)) <> 'ai_' AND "
      "substr(name, 1, 7) <> 'sqlite_'");
  Check(names.ok() && (*names)["rows"].empty(), "an object of another name", sql);
  Check(!sandbox.Dump().empty(), "nothing can be read", sql);
  if (!change.has_value()) return 0;
  const auto reversal = sandbox.Reverse(*change);
  if (!reversal.ok()) {
    const auto error = toolgate::GetToolError(reversal.status());
    // On a slow machine the statement may be in time while its reversal is not.
    Check(error.has_value() && error->code == toolgate::ErrorCode::kTimeout, reversal.status().ToString(), sql);
    return 0;
  }
  Check(sandbox.Dump() == before, "undo left something", sql);
  return 0;
}
