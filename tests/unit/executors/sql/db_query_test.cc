// The tool db_query on a real store: answers, storage, confirmation and undo.
#include "executors/sql/db_query.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/fibers/cancellation.h"
#include "common/status_macros.h"
#include "executors/sql/file_pages.h"
#include "executors/sql/sql_effect.h"
#include "executors/sql/sql_tools.h"
#include "gtest/gtest.h"
#include "tests/support/sql_sandbox.h"
#include "tests/support/tool_matchers.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::sql {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;

class DbQueryTest : public testing::WorkspaceTest {
 protected:
  absl::StatusOr<Json> Sql(std::string_view sql) { return Call("db_query", {{"sql", std::string(sql)}}); }
  std::string Answer(std::string_view sql) { return DumpJson(Do("db_query", {{"sql", std::string(sql)}})); }
  absl::StatusOr<Preview> Ask(std::string_view sql) {
    return harness_.PreviewOf("db_query", {{"sql", std::string(sql)}});
  }

  // Takes back, as the tool undo does, and returns the changes of that, whose reversal is a redo.
  absl::StatusOr<storage::Changes> Undo(const storage::Changes& changes) {
    ASSIGN_OR_RETURN(const std::unique_ptr<EffectReversal> reversal, Prepare({changes}));
    return Write(*reversal);
  }
  absl::StatusOr<std::unique_ptr<EffectReversal>> Prepare(const std::vector<storage::Changes>& changes) {
    const fibers::Cancellation cancellation;
    const Json arguments;
    std::unique_ptr<EffectReversal> reversal = reverser_();
    RETURN_IF_ERROR(harness_.store().Read(harness_.caller().workspace_id, [&](storage::ReadView& view) -> absl::Status {
      ToolContext context{arguments,           harness_.caller(), harness_.clock().Now(),
                          absl::UTCTimeZone(), cancellation,      IdSource::Real()};
      for (const storage::Changes& each : changes) {
        for (const storage::Effect& effect : each.effects) {
          RETURN_IF_ERROR(reversal->TakeBack(effect, context, view));
        }
      }
      return absl::OkStatus();
    }));
    return reversal;
  }
  absl::StatusOr<storage::Changes> Write(const EffectReversal& reversal) {
    storage::Changes done;
    RETURN_IF_ERROR(harness_.store().Commit({harness_.caller().workspace_id, harness_.caller().user_id,
                                             "undo" + std::to_string(++undos_), harness_.clock().Now()},
                                            storage::CommitMode::kDurable, fibers::Cancellation(),
                                            [&](storage::Transaction& transaction) -> absl::Status {
                                              RETURN_IF_ERROR(reversal.Write(transaction));
                                              done = transaction.changes();
                                              return absl::OkStatus();
                                            }));
    return done;
  }

  int undos_ = 0;
  Reverser reverser_ = SqlReverser(std::make_shared<const engine::Engine>(testing::UsualSqlLimits(), Clock::Real()));
};

TEST_F(DbQueryTest, KeepsWhatAStatementWrote) {
  EXPECT_EQ(Answer("CREATE TABLE ai_t(a INTEGER PRIMARY KEY, b)"), R"({"success":true})");
  EXPECT_EQ(harness_.description(), "Created table ai_t");
  EXPECT_EQ(Answer("INSERT INTO ai_t(b) VALUES ('x'), ('y')"), R"({"affectedRows":2})");
  EXPECT_EQ(harness_.description(), "Inserted 2 rows into ai_t");
  EXPECT_EQ(Answer("SELECT * FROM ai_t"), R"({"rows":[{"a":1,"b":"x"},{"a":2,"b":"y"}]})");
  EXPECT_TRUE(harness_.changes().empty());
}

TEST_F(DbQueryTest, ReadsUseTheCallsTime) {
  EXPECT_EQ(Answer("SELECT datetime('now') AS t"), R"({"rows":[{"t":"2026-03-02 09:00:00"}]})");
}

TEST_F(DbQueryTest, EachUserOfEachWorkspaceHasADatabaseOfTheirOwn) {
  Do("db_query", {{"sql", "CREATE TABLE ai_t(a)"}});
  harness_.caller().user_id = "bob";
  EXPECT_THAT(Sql("SELECT * FROM ai_t"), FailsWith(ErrorCode::kInvalidParams, "no such table: ai_t", "/sql"));
  harness_.caller().user_id = "ann";
  harness_.caller().workspace_id = "other";
  EXPECT_THAT(Sql("SELECT * FROM ai_t"), FailsWith(ErrorCode::kInvalidParams, "no such table: ai_t", "/sql"));
  harness_.caller().workspace_id = "test";
  EXPECT_EQ(Answer("SELECT * FROM ai_t"), R"({"rows":[]})");
}

TEST_F(DbQueryTest, AFailedStatementKeepsNothing) {
  Do("db_query", {{"sql", "CREATE TABLE ai_t(a UNIQUE)"}});
  EXPECT_THAT(Sql("INSERT INTO ai_t VALUES (1), (2), (1)"),
              FailsWith(ErrorCode::kConflict, "UNIQUE constraint failed: ai_t.a", ""));
  EXPECT_EQ(Answer("SELECT * FROM ai_t"), R"({"rows":[]})");
}

TEST_F(DbQueryTest, ADryRunAnswersAndKeepsNothing) {
  Do("db_query", {{"sql", "CREATE TABLE ai_t(a)"}});
  const auto answer =
      harness_.Call("db_query", {{"sql", "INSERT INTO ai_t VALUES (1), (2)"}}, storage::CommitMode::kDryRun);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(DumpJson(*answer), R"({"affectedRows":2})");
  EXPECT_EQ(Answer("SELECT count(*) AS n FROM ai_t"), R"({"rows":[{"n":0}]})");
}

TEST_F(DbQueryTest, StatementsAreUndoneAndRedone) {
  Do("db_query", {{"sql", "CREATE TABLE ai_t(a)"}});
  const storage::Changes created = harness_.changes();
  Do("db_query", {{"sql", "INSERT INTO ai_t VALUES (1), (2)"}});
  const storage::Changes inserted = harness_.changes();
  const auto redo = Undo(inserted);
  ASSERT_TRUE(redo.ok()) << redo.status();
  EXPECT_EQ(Answer("SELECT count(*) AS n FROM ai_t"), R"({"rows":[{"n":0}]})");
  ASSERT_TRUE(Undo(*redo).ok());
  EXPECT_EQ(Answer("SELECT count(*) AS n FROM ai_t"), R"({"rows":[{"n":2}]})");
  EXPECT_THAT(Undo(created).status(),
              FailsWith(ErrorCode::kConflict, "rows of the table ai_t have been changed since", ""));
}

TEST_F(DbQueryTest, StatementsAreUndoneTogetherTheLastOneFirst) {
  Do("db_query", {{"sql", "CREATE TABLE ai_t(a)"}});
  const storage::Changes created = harness_.changes();
  Do("db_query", {{"sql", "INSERT INTO ai_t SELECT value FROM json_each('[1,2,3]')"}});
  const storage::Changes inserted = harness_.changes();
  Do("db_query", {{"sql", "UPDATE ai_t SET a = a * 10"}});
  const auto undone = [&] {
    const auto reversal = Prepare({harness_.changes(), inserted, created});
    return reversal.ok() ? Write(**reversal) : reversal.status();
  }();
  ASSERT_TRUE(undone.ok()) << undone.status();
  EXPECT_THAT(Sql("SELECT * FROM ai_t"), FailsWith(ErrorCode::kInvalidParams, "no such table: ai_t", "/sql"));
  storage::Changes redo;
  redo.effects.assign(undone->effects.rbegin(), undone->effects.rend());
  ASSERT_TRUE(Undo(redo).ok());
  EXPECT_EQ(Answer("SELECT sum(a) AS n FROM ai_t"), R"({"rows":[{"n":60}]})");
}

TEST_F(DbQueryTest, AReversalOnAnOlderStateIsOutOfDate) {
  Do("db_query", {{"sql", "CREATE TABLE ai_t(a)"}});
  Do("db_query", {{"sql", "INSERT INTO ai_t VALUES (1)"}});
  const auto reversal = Prepare({harness_.changes()});
  ASSERT_TRUE(reversal.ok()) << reversal.status();
  Do("db_query", {{"sql", "INSERT INTO ai_t VALUES (2)"}});
  const absl::Status written = Write(**reversal).status();
  EXPECT_TRUE(absl::IsAborted(written)) << written;
  EXPECT_FALSE(GetToolError(written).has_value());
  EXPECT_EQ(Answer("SELECT count(*) AS n FROM ai_t"), R"({"rows":[{"n":2}]})");
}

TEST_F(DbQueryTest, APlanOnAnOlderStateIsMadeAgain) {
  Do("db_query", {{"sql", "CREATE TABLE ai_t(a)"}});
  const engine::Engine engine(testing::UsualSqlLimits(), Clock::Real());
  const fibers::Cancellation cancellation;
  const Json arguments = {{"sql", "INSERT INTO ai_t VALUES (1)"}};
  ToolContext context{arguments,           harness_.caller(), harness_.clock().Now(),
                      absl::UTCTimeZone(), cancellation,      IdSource::Real()};
  absl::StatusOr<Plan> plan = absl::UnknownError("no plan");
  ASSERT_TRUE(harness_.store()
                  .Read("test",
                        [&](storage::ReadView& view) {
                          plan = DbQuery(engine, context, view);
                          return plan.status();
                        })
                  .ok());
  Do("db_query", {{"sql", "INSERT INTO ai_t VALUES (2)"}});
  const absl::Status status = harness_.store().Commit(
      {"test", "ann", "late", harness_.clock().Now()}, storage::CommitMode::kDurable, cancellation,
      [&](storage::Transaction& transaction) { return plan->commit(transaction); });
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  EXPECT_EQ(Answer("SELECT a FROM ai_t"), R"({"rows":[{"a":2}]})");
}

// ---- Confirmation ---------------------------------------------------------------------------------------------------

TEST_F(DbQueryTest, ReadingAndChangingRowsAsksNobody) {
  Do("db_query", {{"sql", "CREATE TABLE ai_t(a)"}});
  for (const char* sql :
       {"SELECT * FROM ai_t", "INSERT INTO ai_t VALUES (1)", "DELETE FROM ai_t", "PRAGMA table_list",
        "EXPLAIN DROP TABLE ai_t", "DROP TABLE IF EXISTS ai_none", "CREATE TABLE IF NOT EXISTS ai_t(b)"}) {
    const auto preview = Ask(sql);
    ASSERT_TRUE(preview.ok()) << sql << ": " << preview.status();
    EXPECT_FALSE(preview->needs_confirmation) << sql;
  }
}

TEST_F(DbQueryTest, AChangeToTheSchemaIsToldInWords) {
  Do("db_query", {{"sql", "CREATE TABLE ai_notes(id INTEGER PRIMARY KEY, t)"}});
  Do("db_query", {{"sql", "CREATE TABLE ai_tags(note REFERENCES ai_notes(id) ON DELETE CASCADE, tag)"}});
  Do("db_query", {{"sql", "INSERT INTO ai_notes(t) VALUES ('a'), ('b')"}});
  Do("db_query", {{"sql", "INSERT INTO ai_tags VALUES (1, 'x'), (2, 'y'), (2, 'z')"}});
  for (const auto& [sql, summary] : std::vector<std::pair<std::string, std::string>>{
           {"CREATE TABLE ai_new(a)", "Create table ai_new"},
           {"CREATE INDEX ai_by_tag ON ai_tags(tag)", "Create index ai_by_tag on ai_tags"},
           {"CREATE VIEW ai_v AS SELECT 1", "Create view ai_v"},
           {"ALTER TABLE ai_tags ADD COLUMN c", "Alter table ai_tags"},
           {"DROP TABLE ai_tags", "Drop table ai_tags and its 3 rows"},
           {"DROP TABLE ai_notes", "Drop table ai_notes and its 2 rows; delete 3 rows of ai_tags"}}) {
    const auto preview = Ask(sql);
    ASSERT_TRUE(preview.ok()) << sql << ": " << preview.status();
    EXPECT_TRUE(preview->needs_confirmation) << sql;
    EXPECT_EQ(preview->summary, summary + " (private database)");
    EXPECT_TRUE(preview->reversible);
    EXPECT_THAT(preview->undo_summary, HasSubstr("Undo brings everything back"));
  }
  EXPECT_EQ(Answer("SELECT count(*) AS n FROM ai_tags"), R"({"rows":[{"n":3}]})");
}

TEST_F(DbQueryTest, AForbiddenStatementIsRefusedBeforeAnybodyIsAsked) {
  EXPECT_THAT(Ask("DROP TABLE chats").status(), FailsWith(ErrorCode::kForbidden, "is not for this tool", ""));
  EXPECT_THAT(Ask("CREATE TABLE notes(a)").status(), FailsWith(ErrorCode::kForbidden, "begin with ai_", ""));
}

class DbQueryBoundsTest : public ::testing::Test {
 protected:
  DbQueryBoundsTest() : harness_(Options()) {}
  static CatalogOptions Options() {
    CatalogOptions options;
    EXPECT_TRUE(AddDefaults({SqlFamily()}, options.settings).ok());
    options.settings.MutableExtension(SqlSettings::sql)->set_max_undo_bytes(100'000);
    return options;
  }
  testing::ToolHarness harness_;
};

TEST_F(DbQueryBoundsTest, APersonIsToldWhatCannotBeTakenBack) {
  const auto run = [&](const std::string& sql) { return harness_.Call("db_query", {{"sql", sql}}); };
  ASSERT_TRUE(run("CREATE TABLE ai_t(a)").ok());
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(run("INSERT INTO ai_t VALUES (zeroblob(80000))").ok());
  const auto preview = harness_.PreviewOf("db_query", {{"sql", "DROP TABLE ai_t"}});
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_TRUE(preview->needs_confirmation);
  EXPECT_FALSE(preview->reversible);
  EXPECT_THAT(preview->undo_summary, HasSubstr("cannot be taken back"));
  ASSERT_TRUE(run("DROP TABLE ai_t").ok());
  EXPECT_TRUE(harness_.changes().empty());
}

}  // namespace
}  // namespace toolgate::executors::sql
