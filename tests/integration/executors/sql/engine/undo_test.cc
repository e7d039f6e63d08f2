// Changes of statements are taken back, row by row and object by object, and redone.
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/sql_sandbox.h"

namespace toolgate::executors::sql::engine {
namespace {

using internal::v1::SqlChange;
using testing::SqlSandbox;

class SqlUndoTest : public ::testing::Test {
 protected:
  // Runs statements that must succeed and returns the change of the last one.
  SqlChange Do(const std::vector<std::string>& statements) {
    for (const std::string& sql : statements) {
      const auto answer = sandbox_.Run(sql);
      EXPECT_TRUE(answer.ok()) << sql << ": " << answer.status();
    }
    EXPECT_TRUE(sandbox_.last().change.has_value());
    return sandbox_.last().change.value_or(SqlChange());
  }
  // Takes back, and returns the redo.
  SqlChange Undo(const SqlChange& change) {
    const auto reversal = sandbox_.Reverse(change);
    EXPECT_TRUE(reversal.ok()) << reversal.status();
    if (!reversal.ok() || !reversal->change.has_value()) return {};
    return *reversal->change;
  }
  // A reversal that must be refused and change nothing.
  void ExpectConflict(const SqlChange& change, const std::string& says) {
    const auto before = sandbox_.pages().pages;
    const auto reversal = sandbox_.Reverse(change);
    ASSERT_FALSE(reversal.ok());
    const auto error = GetToolError(reversal.status());
    ASSERT_TRUE(error.has_value()) << reversal.status();
    EXPECT_EQ(error->code, ErrorCode::kConflict);
    EXPECT_THAT(error->message, ::testing::HasSubstr(says));
    EXPECT_EQ(sandbox_.pages().pages, before);
  }
  // The last statement is undone, redone, and undone again.
  void ExpectUndoAndRedo(const std::vector<std::string>& setup, const std::string& sql) {
    if (!setup.empty()) Do(setup);
    const std::string before = sandbox_.Dump();
    const SqlChange change = Do({sql});
    const std::string after = sandbox_.Dump();
    EXPECT_NE(before, after);
    const SqlChange redo = Undo(change);
    EXPECT_EQ(sandbox_.Dump(), before) << "undo of " << sql;
    const SqlChange again = Undo(redo);
    EXPECT_EQ(sandbox_.Dump(), after) << "redo of " << sql;
    Undo(again);
    EXPECT_EQ(sandbox_.Dump(), before) << "undo after redo of " << sql;
  }

  SqlSandbox sandbox_;
};

struct UndoCase {
  std::string name;
  std::vector<std::string> setup;
  std::string sql;
};

class SqlUndoCaseTest : public SqlUndoTest, public ::testing::WithParamInterface<UndoCase> {};

TEST_P(SqlUndoCaseTest, UndoesAndRedoes) { ExpectUndoAndRedo(GetParam().setup, GetParam().sql); }

const std::vector<std::string> kRows = {
    "CREATE TABLE ai_t(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b)",
    "INSERT INTO ai_t VALUES (1, 'one', 1), (2, 'two', 2.5), (5, 'five', x'00ff'), (9, NULL, NULL)",
};
const std::vector<std::string> kFamily = {
    "CREATE TABLE ai_p(id INTEGER PRIMARY KEY, n)",
    "CREATE TABLE ai_c(p REFERENCES ai_p(id) ON DELETE CASCADE ON UPDATE CASCADE, n)",
    "CREATE TABLE ai_s(p REFERENCES ai_p(id) ON DELETE SET NULL, n)",
    "INSERT INTO ai_p VALUES (1,'a'),(2,'b')",
    "INSERT INTO ai_c VALUES (1,'x'),(1,'y'),(2,'z')",
    "INSERT INTO ai_s VALUES (1,'x'),(2,'y')",
};
const std::vector<std::string> kWithoutRowid = {
    "CREATE TABLE ai_w(k TEXT, n INT, v, PRIMARY KEY (n, k)) WITHOUT ROWID",
    "INSERT INTO ai_w VALUES ('a',1,1),('b',1,2),('a',2,3)",
};
const std::vector<std::string> kNoCase = {
    "CREATE TABLE ai_n(k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID",
    "INSERT INTO ai_n VALUES ('Ann',1),('Bob',2)",
};
const std::vector<std::string> kComputed = {
    "CREATE TABLE ai_g(v AS (b * 2), b INT, c AS (b + 1) STORED, k TEXT)",
    "INSERT INTO ai_g(b, k) VALUES (1,'x'),(2,'y')",
};
const std::vector<std::string> kComputedWithoutRowid = {
    "CREATE TABLE ai_g(v AS (b * 2), b INT, c AS (b + 1) STORED, k TEXT PRIMARY KEY) WITHOUT ROWID",
    "INSERT INTO ai_g(b, k) VALUES (1,'x'),(2,'y')",
};
const std::vector<std::string> kCounted = {
    "CREATE TABLE ai_a(id INTEGER PRIMARY KEY AUTOINCREMENT, t)",
    "INSERT INTO ai_a(t) VALUES ('a'),('b'),('c')",
    "DELETE FROM ai_a WHERE t = 'c'",
};
const std::vector<std::string> kObjects = {
    "CREATE TABLE ai_t(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b)",
    "CREATE INDEX ai_i ON ai_t(b)",
    "CREATE TABLE ai_log(a)",
    "CREATE TRIGGER ai_tr AFTER INSERT ON ai_t BEGIN INSERT INTO ai_log VALUES (new.a); END",
    "CREATE VIEW ai_v AS SELECT a FROM ai_t",
    "INSERT INTO ai_t VALUES (1,'x',1),(3,'y',2)",
};

std::vector<std::string> After(std::vector<std::string> setup, const std::string& sql) {
  setup.push_back(sql);
  return setup;
}

std::vector<UndoCase> RowCases() {
  return {
      {"Insert", kRows, "INSERT INTO ai_t VALUES (3, 'three', 3)"},
      {"InsertMany", kRows, "INSERT INTO ai_t(a) SELECT 'n' || value FROM json_each('[1,2,3]')"},
      {"Update", kRows, "UPDATE ai_t SET b = b || '!' WHERE id < 6"},
      {"UpdateTypes", kRows,
       "UPDATE ai_t SET b = CASE id WHEN 1 THEN 1.0 WHEN 2 THEN '2' WHEN 5 THEN NULL ELSE x'' END"},
      {"UpdateOfTheKey", kRows, "UPDATE ai_t SET id = id + 1 WHERE id IN (5, 9)"},
      {"UpdateThatShiftsKeys", kRows, "UPDATE ai_t SET id = -id"},
      {"UpdateThatSwapsUniqueValues", After(kRows, "UPDATE ai_t SET a = 'x' WHERE id = 9"),
       "UPDATE ai_t SET a = a || CASE id WHEN 1 THEN 'two' ELSE '' END"},
      {"Delete", kRows, "DELETE FROM ai_t WHERE id = 2"},
      {"DeleteAll", kRows, "DELETE FROM ai_t"},
      {"ReplaceByKey", kRows, "REPLACE INTO ai_t VALUES (1, 'uno', 0)"},
      {"ReplaceByUniqueValue", kRows, "REPLACE INTO ai_t VALUES (7, 'two', 0)"},
      {"ReplaceOfTwoRows", kRows, "REPLACE INTO ai_t VALUES (1, 'two', 0)"},
      {"UpdateOrReplace", kRows, "UPDATE OR REPLACE ai_t SET a = 'one' WHERE id = 2"},
      {"Upsert", kRows, "INSERT INTO ai_t VALUES (1,'x',1),(20,'y',2) ON CONFLICT(id) DO UPDATE SET b = 77"},
      {"Returning", kRows, "DELETE FROM ai_t WHERE id < 3 RETURNING *"},
      {"OddText", kRows, "UPDATE ai_t SET b = 'a' || char(0) || 'é' || CAST(x'ff' AS TEXT)"},
      {"ExtremeNumbers", kRows,
       "UPDATE ai_t SET b = CASE id WHEN 1 THEN 9223372036854775807 WHEN 2 THEN -9e999 WHEN 5 THEN 1e-300 ELSE -0.0 "
       "END"},
      {"CascadeDelete", kFamily, "DELETE FROM ai_p WHERE id = 1"},
      {"CascadeUpdate", After(kFamily, "DELETE FROM ai_s"), "UPDATE ai_p SET id = 7 WHERE id = 1"},
      {"CascadeReplace", kFamily, "REPLACE INTO ai_p VALUES (2, 'new')"},
      {"Trigger", kObjects, "INSERT INTO ai_t VALUES (8, 'z', 3)"},
      {"InsteadOfTrigger",
       After(kObjects, "CREATE TRIGGER ai_put INSTEAD OF INSERT ON ai_v BEGIN INSERT INTO ai_t(a) VALUES (new.a); END"),
       "INSERT INTO ai_v VALUES ('via')"},
      {"WithoutRowidInsert", kWithoutRowid, "INSERT INTO ai_w VALUES ('c',3,NULL)"},
      {"WithoutRowidUpdate", kWithoutRowid, "UPDATE ai_w SET v = v + 1 WHERE n = 1"},
      {"WithoutRowidUpdateOfTheKey", kWithoutRowid, "UPDATE ai_w SET k = k || '!'"},
      {"WithoutRowidDelete", kWithoutRowid, "DELETE FROM ai_w WHERE k = 'a'"},
      {"WithoutRowidReplace", kWithoutRowid, "REPLACE INTO ai_w VALUES ('a',1,9),('z',1,9)"},
      {"WithoutRowidUpsert", kWithoutRowid, "INSERT INTO ai_w VALUES ('a',1,9) ON CONFLICT DO UPDATE SET v = 4"},
      {"KeyThatChangesItsCase", kNoCase, "UPDATE ai_n SET k = upper(k)"},
      {"KeyFoundByAnotherCase", kNoCase, "UPDATE ai_n SET v = 9 WHERE k = 'ANN'"},
      {"KeyReplacedInAnotherCase", kNoCase, "REPLACE INTO ai_n VALUES ('ANN', 5)"},
      {"RealKey",
       {"CREATE TABLE ai_r(k REAL PRIMARY KEY, v) WITHOUT ROWID", "INSERT INTO ai_r VALUES (1, 1), (2.5, 2)"},
       "UPDATE ai_r SET k = k + 1, v = v + 1"},
      {"UntypedKey",
       {"CREATE TABLE ai_r(k PRIMARY KEY, v) WITHOUT ROWID", "INSERT INTO ai_r VALUES (1, 1), ('1', 2), (x'31', 3)"},
       "UPDATE ai_r SET k = k + 0.0 WHERE v = 1"},
      {"ComputedInsert", kComputed, "INSERT INTO ai_g(b, k) VALUES (3,'z')"},
      {"ComputedUpdate", kComputed, "UPDATE ai_g SET b = b * 10, k = k || 'k'"},
      {"ComputedDelete", kComputed, "DELETE FROM ai_g WHERE v = 4"},
      {"ComputedWithoutRowidUpdate", kComputedWithoutRowid, "UPDATE ai_g SET b = b * 10"},
      {"ComputedWithoutRowidKey", kComputedWithoutRowid, "UPDATE ai_g SET k = k || 'k'"},
      {"ComputedWithoutRowidDelete", kComputedWithoutRowid, "DELETE FROM ai_g WHERE b = 1"},
      {"Autoincrement", kCounted, "INSERT INTO ai_a(t) VALUES ('d')"},
      {"AutoincrementDelete", kCounted, "DELETE FROM ai_a"},
      {"RowNumberAsAColumnName",
       {"CREATE TABLE ai_x(rowid TEXT, b)", "INSERT INTO ai_x VALUES ('a', 1), ('b', 2)"},
       "UPDATE ai_x SET rowid = 'z' WHERE b = 1"},
      {"RowNumberNamedThrice",
       {"CREATE TABLE ai_x(rowid INTEGER PRIMARY KEY, oid)", "INSERT INTO ai_x VALUES (4, 1)"},
       "UPDATE ai_x SET rowid = 5"},
      {"KeyInDescendingOrder",
       {"CREATE TABLE ai_x(id INTEGER PRIMARY KEY DESC, b)", "INSERT INTO ai_x VALUES (4, 1), (5, 2)"},
       "UPDATE ai_x SET id = id + 10"},
      {"NoKeyAtAll", {"CREATE TABLE ai_x(a)", "INSERT INTO ai_x VALUES (1), (1), (2)"}, "DELETE FROM ai_x WHERE a = 1"},
      {"Strict",
       {"CREATE TABLE ai_x(a INT, b ANY) STRICT", "INSERT INTO ai_x VALUES (1, '2')"},
       "UPDATE ai_x SET b = 2.0"},
      {"ConflictClauseThatReplaces",
       {"CREATE TABLE ai_x(a UNIQUE ON CONFLICT REPLACE, b)", "INSERT INTO ai_x VALUES (1, 1), (2, 2)"},
       "INSERT INTO ai_x VALUES (1, 9)"},
      {"CheckThatIsRandom",
       {"CREATE TABLE ai_x(a CHECK (random() <> a))", "INSERT INTO ai_x VALUES (1), (2)"},
       "DELETE FROM ai_x"},
      {"QuotedNames",
       {"CREATE TABLE \"ai_a \"\"b\"\"\"(\"c d\", \"e\"\"f\")", "INSERT INTO \"ai_a \"\"b\"\"\" VALUES (1, 2)"},
       "UPDATE \"ai_a \"\"b\"\"\" SET \"e\"\"f\" = 3"},
  };
}

std::vector<UndoCase> SchemaCases() {
  return {
      {"CreateTable", {}, "CREATE TABLE ai_t(a)"},
      {"CreateTableAs", kRows, "CREATE TABLE ai_copy AS SELECT * FROM ai_t"},
      {"CreateAutoincrement", {}, "CREATE TABLE ai_a(id INTEGER PRIMARY KEY AUTOINCREMENT)"},
      {"CreateIndex", kObjects, "CREATE INDEX ai_more ON ai_t(a, b)"},
      {"CreateView", kObjects, "CREATE VIEW ai_w AS SELECT * FROM ai_v"},
      {"CreateTrigger", kObjects, "CREATE TRIGGER ai_u AFTER DELETE ON ai_t BEGIN DELETE FROM ai_log; END"},
      {"DropTable", kObjects, "DROP TABLE ai_t"},
      {"DropTableOfAllTypes", kRows, "DROP TABLE ai_t"},
      {"DropTableWithoutRowid", kWithoutRowid, "DROP TABLE ai_w"},
      {"DropTableWithComputedColumns", kComputed, "DROP TABLE ai_g"},
      {"DropAutoincrement", kCounted, "DROP TABLE ai_a"},
      {"DropParent", kFamily, "DROP TABLE ai_p"},
      {"DropChild", kFamily, "DROP TABLE ai_c"},
      {"DropIndex", kObjects, "DROP INDEX ai_i"},
      {"DropView", kObjects, "DROP VIEW ai_v"},
      {"DropViewWithTrigger", After(kObjects, "CREATE TRIGGER ai_put INSTEAD OF INSERT ON ai_v BEGIN SELECT 1; END"),
       "DROP VIEW ai_v"},
      {"DropTrigger", kObjects, "DROP TRIGGER ai_tr"},
      {"RenameTable", kObjects, "ALTER TABLE ai_t RENAME TO ai_s"},
      {"RenameParent", kFamily, "ALTER TABLE ai_p RENAME TO ai_parents"},
      {"RenameAutoincrement", kCounted, "ALTER TABLE ai_a RENAME TO ai_b"},
      {"RenameColumn", kObjects, "ALTER TABLE ai_t RENAME COLUMN a TO c"},
      {"AddColumn", kObjects, "ALTER TABLE ai_t ADD COLUMN c NOT NULL DEFAULT 'new'"},
      {"AddColumnToAutoincrement", kCounted, "ALTER TABLE ai_a ADD COLUMN c"},
      {"AddComputedColumn", kRows, "ALTER TABLE ai_t ADD COLUMN c AS (id * 2)"},
      {"DropColumn", kRows, "ALTER TABLE ai_t DROP COLUMN b"},
      {"DropFirstColumn", kWithoutRowid, "ALTER TABLE ai_w DROP COLUMN v"},
  };
}

INSTANTIATE_TEST_SUITE_P(Rows, SqlUndoCaseTest, ::testing::ValuesIn(RowCases()),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(Schema, SqlUndoCaseTest, ::testing::ValuesIn(SchemaCases()),
                         [](const auto& test) { return test.param.name; });

// ---- Obstacles ------------------------------------------------------------------------------------------------------

TEST_F(SqlUndoTest, ARowChangedSinceIsAConflictThatNamesIt) {
  Do(kRows);
  const SqlChange change = Do({"UPDATE ai_t SET b = 'mine' WHERE id = 2"});
  Do({"UPDATE ai_t SET b = 'theirs' WHERE id = 2"});
  ExpectConflict(change, "row 2 of ai_t has been changed since");
}

TEST_F(SqlUndoTest, ARowDeletedSinceIsAConflict) {
  Do(kRows);
  const SqlChange change = Do({"UPDATE ai_t SET b = 'mine' WHERE id = 2"});
  Do({"DELETE FROM ai_t WHERE id = 2"});
  ExpectConflict(change, "row 2 of ai_t has been deleted since");
}

TEST_F(SqlUndoTest, ARowNumberTakenSinceIsAConflict) {
  Do(kRows);
  const SqlChange change = Do({"DELETE FROM ai_t WHERE id = 2"});
  Do({"INSERT INTO ai_t VALUES (2, 'other', 0)"});
  ExpectConflict(change, "row 2 of ai_t has been inserted again since");
}

TEST_F(SqlUndoTest, AUniqueValueTakenSinceIsAConflict) {
  Do(kRows);
  const SqlChange change = Do({"DELETE FROM ai_t WHERE id = 2"});
  Do({"INSERT INTO ai_t VALUES (22, 'two', 0)"});
  ExpectConflict(change, "row 2 of ai_t cannot be put back: another row has its unique values now");
}

TEST_F(SqlUndoTest, AKeyOfSeveralColumnsIsNamed) {
  Do(kWithoutRowid);
  const SqlChange change = Do({"UPDATE ai_w SET v = 7 WHERE k = 'b'"});
  Do({"DELETE FROM ai_w WHERE k = 'b'"});
  ExpectConflict(change, "the row with the key (1, 'b') of ai_w has been deleted since");
}

TEST_F(SqlUndoTest, AKeyThatIsNoTextIsNamedByItsSize) {
  Do(kWithoutRowid);
  const SqlChange change = Do({"INSERT INTO ai_w VALUES (CAST(x'ff' AS TEXT), 5, 1)"});
  Do({"DELETE FROM ai_w WHERE n = 5"});
  ExpectConflict(change, "the row with the key (5, a text of 1 bytes) of ai_w has been deleted since");
}

TEST_F(SqlUndoTest, AnotherRowOfTheTableIsNoConflict) {
  Do(kRows);
  const SqlChange change = Do({"UPDATE ai_t SET b = 'mine' WHERE id = 2"});
  Do({"UPDATE ai_t SET b = 'theirs' WHERE id = 1", "DELETE FROM ai_t WHERE id = 5"});
  Undo(change);
  EXPECT_EQ(DumpJson(*sandbox_.Run("SELECT id, b FROM ai_t WHERE id < 3")),
            R"({"rows":[{"id":1,"b":"theirs"},{"id":2,"b":2.5}]})");
}

TEST_F(SqlUndoTest, ATableAlteredSinceIsAConflict) {
  Do(kRows);
  const SqlChange change = Do({"UPDATE ai_t SET b = 'mine' WHERE id = 2"});
  Do({"ALTER TABLE ai_t ADD COLUMN c"});
  ExpectConflict(change, "the table ai_t has been altered or dropped since");
}

TEST_F(SqlUndoTest, ATableDroppedSinceIsAConflict) {
  Do(kRows);
  const SqlChange change = Do({"UPDATE ai_t SET b = 'mine' WHERE id = 2"});
  Do({"DROP TABLE ai_t"});
  ExpectConflict(change, "the table ai_t has been altered or dropped since");
}

TEST_F(SqlUndoTest, RowsInANewTableStandAgainstTakingItBack) {
  const SqlChange change = Do({"CREATE TABLE ai_t(a)"});
  const SqlChange row = Do({"INSERT INTO ai_t VALUES (1)"});
  ExpectConflict(change, "rows of the table ai_t have been changed since");
  Undo(row);
  Undo(change);
  EXPECT_EQ(sandbox_.Dump(), "");
}

TEST_F(SqlUndoTest, AnIndexMadeSinceStandsAgainstTakingItsTableBack) {
  const SqlChange change = Do({"CREATE TABLE ai_t(a)"});
  Do({"CREATE INDEX ai_i ON ai_t(a)"});
  ExpectConflict(change, "the index ai_i has been made on ai_t since");
}

TEST_F(SqlUndoTest, ANameTakenSinceStandsAgainstBringingATableBack) {
  Do(kRows);
  const SqlChange change = Do({"DROP TABLE ai_t"});
  Do({"CREATE VIEW ai_t AS SELECT 1"});
  ExpectConflict(change, "there is a view ai_t again");
}

TEST_F(SqlUndoTest, AnIndexWhoseTableIsGoneIsAConflict) {
  Do(kObjects);
  const SqlChange change = Do({"DROP INDEX ai_i"});
  Do({"DROP TABLE ai_t"});
  ExpectConflict(change, "the index ai_i cannot be made again: no such table");
}

TEST_F(SqlUndoTest, AUniqueIndexThatRowsStandAgainstIsAConflict) {
  Do({"CREATE TABLE ai_t(a)", "CREATE UNIQUE INDEX ai_i ON ai_t(a)"});
  const SqlChange change = Do({"DROP INDEX ai_i"});
  Do({"INSERT INTO ai_t VALUES (1), (1)"});
  ExpectConflict(change, "the index ai_i cannot be made again: UNIQUE constraint failed");
}

TEST_F(SqlUndoTest, AForeignKeyThatWouldLeadNowhereIsAConflict) {
  Do(kFamily);
  const SqlChange change = Do({"INSERT INTO ai_p VALUES (3, 'c')"});
  Do({"INSERT INTO ai_c VALUES (3, 'new')"});
  ExpectConflict(change, "of ai_c would refer to a row of ai_p that is not there");
}

TEST_F(SqlUndoTest, UndoRunsNoTrigger) {
  Do(kObjects);
  Do({"CREATE TRIGGER ai_del AFTER DELETE ON ai_t BEGIN INSERT INTO ai_log VALUES ('deleted'); END"});
  const SqlChange change = Do({"DELETE FROM ai_log"});
  const SqlChange insert = Do({"INSERT INTO ai_t VALUES (8, 'z', 3)"});
  Undo(insert);
  EXPECT_EQ(DumpJson(*sandbox_.Run("SELECT count(*) AS n FROM ai_log")), R"({"rows":[{"n":0}]})");
  Undo(change);
}

TEST_F(SqlUndoTest, ACounterThatMovedOnStays) {
  Do(kCounted);
  const SqlChange first = Do({"INSERT INTO ai_a(t) VALUES ('d')"});
  Do({"INSERT INTO ai_a(t) VALUES ('e')"});
  Undo(first);
  EXPECT_EQ(DumpJson(*sandbox_.Run("INSERT INTO ai_a(t) VALUES ('f') RETURNING id")),
            R"({"rows":[{"id":6}],"affectedRows":1})");
}

TEST_F(SqlUndoTest, ACounterThatAKeyWentBeyondComesBack) {
  Do(kCounted);
  // An update moves no counter; putting its row back would.
  const SqlChange change = Do({"UPDATE ai_a SET id = 50 WHERE id = 1"});
  const SqlChange redo = Undo(change);
  Undo(redo);
  EXPECT_EQ(DumpJson(*sandbox_.Run("SELECT seq FROM sqlite_sequence")), R"({"rows":[{"seq":3}]})");
}

TEST_F(SqlUndoTest, ATableTooLargeToKeepIsDroppedWithoutUndo) {
  SqlSandbox sandbox{[](SqlLimits& limits) { limits.max_undo_bytes = 100'000; }};
  ASSERT_TRUE(sandbox.Run("CREATE TABLE ai_t(a)").ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(sandbox.Run("INSERT INTO ai_t VALUES (zeroblob(60000))").ok());
  ASSERT_TRUE(sandbox.Run("DROP TABLE ai_t").ok());
  EXPECT_FALSE(sandbox.last().change.has_value());
  EXPECT_EQ(sandbox.last().dropped_rows.at("ai_t"), 3);
  EXPECT_EQ(sandbox.Dump(), "");
}

TEST_F(SqlUndoTest, ALargeTableIsRenamedWithUndoSinceItsRowsStay) {
  SqlSandbox sandbox{[](SqlLimits& limits) { limits.max_undo_bytes = 100'000; }};
  ASSERT_TRUE(sandbox.Run("CREATE TABLE ai_t(a)").ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(sandbox.Run("INSERT INTO ai_t VALUES (zeroblob(60000))").ok());
  const std::string before = sandbox.Dump();
  ASSERT_TRUE(sandbox.Run("ALTER TABLE ai_t RENAME TO ai_u").ok());
  ASSERT_TRUE(sandbox.last().change.has_value());
  const auto reversal = sandbox.Reverse(*sandbox.last().change);
  ASSERT_TRUE(reversal.ok()) << reversal.status();
  EXPECT_EQ(sandbox.Dump(), before);
}

TEST_F(SqlUndoTest, ADamagedChangeIsTheOperatorsMatter) {
  Do(kRows);
  SqlChange change = Do({"DELETE FROM ai_t WHERE id = 2"});
  change.mutable_tables(0)->mutable_changes(0)->set_before("nonsense");
  const auto reversal = sandbox_.Reverse(change);
  EXPECT_EQ(reversal.status().code(), absl::StatusCode::kDataLoss) << reversal.status();
}

// ---- Random sequences -----------------------------------------------------------------------------------------------

// Makes statements for a few tables of every kind, which may or may not exist.
class Scribbler {
 public:
  explicit Scribbler(uint32_t seed) : random_(seed) {}

  static constexpr char kParent[] = "CREATE TABLE ai_p(k INTEGER PRIMARY KEY, v)";

  std::string Next() {
    switch (Pick(24)) {
      case 0:
        return Create();
      case 1:
        return absl::StrCat("DROP TABLE ", Table());
      case 2:
        return absl::StrCat("ALTER TABLE ", Table(), " RENAME TO ", Table());
      case 3:
        return absl::StrCat("ALTER TABLE ", Table(), " ADD COLUMN c", Pick(9), " DEFAULT ", Value());
      case 4:
        return absl::StrCat("ALTER TABLE ", Table(), " DROP COLUMN c", Pick(9));
      case 5:
        return absl::StrCat("CREATE ", Pick(3) == 0 ? "UNIQUE " : "", "INDEX ai_i", Pick(4), " ON ", Table(), "(v)");
      case 6:
        return absl::StrCat("DROP INDEX ai_i", Pick(4));
      case 7:
        return absl::StrCat("CREATE VIEW ai_v", Pick(2), " AS SELECT * FROM ", Table());
      case 8:
        return absl::StrCat("DROP VIEW ai_v", Pick(2));
      case 9:
        return absl::StrCat("CREATE TRIGGER ai_tr", Pick(3), " AFTER ", Pick(2) == 0 ? "INSERT" : "DELETE", " ON ",
                            Table(), " BEGIN UPDATE ", Table(), " SET v = ", Value(), " WHERE k = ", Value(), "; END");
      case 10:
        return absl::StrCat("DROP TRIGGER ai_tr", Pick(3));
      case 11:
        return absl::StrCat("ALTER TABLE ", Table(), " RENAME COLUMN c", Pick(9), " TO c", Pick(9));
      case 12:
      case 13:
        return absl::StrCat("DELETE FROM ", Target(), Pick(3) == 0 ? "" : absl::StrCat(" WHERE v > ", Value()));
      case 14:
      case 15:
        return absl::StrCat("UPDATE ", Pick(3) == 0 ? "OR REPLACE " : "OR IGNORE ", Target(), " SET k = ", Value(),
                            " WHERE v < ", Value());
      case 16:
      case 17:
        return absl::StrCat("UPDATE ", Target(), " SET v = ", Value(), " WHERE k < ", Value());
      case 18:
        return absl::StrCat("INSERT INTO ", Target(), "(k, v) VALUES (", Value(), ", ", Value(),
                            ") ON CONFLICT DO UPDATE SET v = ", Value());
      default:
        return absl::StrCat(Pick(3) == 0 ? "REPLACE INTO " : "INSERT OR IGNORE INTO ", Target(), "(k, v) VALUES (",
                            Value(), ", ", Value(), "), (", Value(), ", ", Value(), ")");
    }
  }

 private:
  int Pick(int count) { return static_cast<int>(random_() % static_cast<uint32_t>(count)); }
  std::string Table() { return absl::StrCat("ai_t", Pick(5)); }
  // Targets of foreign keys always exist, so that the keys are always valid.
  std::string Target() { return Pick(6) == 0 ? "ai_p" : Table(); }
  std::string Value() {
    switch (Pick(8)) {
      case 0:
        return "NULL";
      case 1:
        return absl::StrCat(Pick(10), ".5");
      case 2:
        return absl::StrCat("'", std::string(1, static_cast<char>('a' + Pick(4))), "'");
      case 3:
        return absl::StrCat("'", std::string(1, static_cast<char>('A' + Pick(4))), "'");
      case 4:
        return absl::StrCat("x'0", Pick(4), "'");
      default:
        return absl::StrCat(Pick(12));
    }
  }
  std::string Create() {
    const char* const kinds[] = {
        "(k, v)",
        "(k INTEGER PRIMARY KEY, v)",
        "(k INTEGER PRIMARY KEY AUTOINCREMENT, v)",
        "(k TEXT PRIMARY KEY, v UNIQUE)",
        "(k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID",
        "(v, k REAL, PRIMARY KEY (k, v)) WITHOUT ROWID",
        "(g AS (v || k), v, k, h AS (k || v) STORED)",
        "(g AS (v || k), v, k PRIMARY KEY, h AS (k || v) STORED) WITHOUT ROWID",
        "(k INTEGER PRIMARY KEY, v REFERENCES ai_p(k) ON DELETE CASCADE ON UPDATE SET NULL)",
        "(k ANY, v INTEGER) STRICT",
    };
    return absl::StrCat("CREATE TABLE ", Table(), kinds[Pick(10)]);
  }

  std::mt19937 random_;
};

class SqlUndoPropertyTest : public SqlUndoTest, public ::testing::WithParamInterface<int> {};

TEST_P(SqlUndoPropertyTest, EverythingIsTakenBackOneByOneAndBroughtBack) {
  Scribbler scribbler(static_cast<uint32_t>(GetParam()));
  Do({Scribbler::kParent});
  std::vector<std::string> states = {sandbox_.Dump()};
  std::vector<SqlChange> changes;
  std::vector<std::string> statements;
  for (int i = 0; i < 400 && changes.size() < 60; ++i) {
    const std::string sql = scribbler.Next();
    const auto answer = sandbox_.Run(sql);
    if (!answer.ok()) {
      ASSERT_TRUE(GetToolError(answer.status()).has_value()) << sql << ": " << answer.status();
      ASSERT_EQ(sandbox_.Dump(), states.back()) << sql << " failed and left something";
      continue;
    }
    const std::string state = sandbox_.Dump();
    if (state == states.back()) continue;
    ASSERT_TRUE(sandbox_.last().change.has_value());
    changes.push_back(*sandbox_.last().change);
    states.push_back(state);
    statements.push_back(sql);
  }
  ASSERT_GT(changes.size(), 20u);
  std::vector<SqlChange> redos;
  for (size_t i = changes.size(); i-- > 0;) {
    const auto reversal = sandbox_.Reverse(changes[i]);
    ASSERT_TRUE(reversal.ok()) << "undo of " << statements[i] << ": " << reversal.status();
    ASSERT_EQ(sandbox_.Dump(), states[i]) << "undo of " << statements[i] << "\n" << absl::StrJoin(statements, "\n");
    redos.push_back(*reversal->change);
  }
  for (size_t i = 0; i < changes.size(); ++i) {
    const auto reversal = sandbox_.Reverse(redos[changes.size() - 1 - i]);
    ASSERT_TRUE(reversal.ok()) << "redo of " << statements[i] << ": " << reversal.status();
    ASSERT_EQ(sandbox_.Dump(), states[i + 1]) << "redo of " << statements[i];
  }
}

// Taken back in any order, a change either conflicts and leaves everything unchanged, or is gone and can be redone.
TEST_P(SqlUndoPropertyTest, OutOfOrderIsAConflictOrRight) {
  Scribbler scribbler(static_cast<uint32_t>(GetParam()) + 1000);
  Do({Scribbler::kParent});
  std::vector<SqlChange> changes;
  for (int i = 0; i < 200 && changes.size() < 40; ++i) {
    if (sandbox_.Run(scribbler.Next()).ok() && sandbox_.last().pages.has_value()) {
      changes.push_back(*sandbox_.last().change);
    }
  }
  std::mt19937 random(static_cast<uint32_t>(GetParam()));
  std::shuffle(changes.begin(), changes.end(), random);
  int done = 0;
  for (const SqlChange& change : changes) {
    const std::string before = sandbox_.Dump();
    const auto reversal = sandbox_.Reverse(change);
    if (!reversal.ok()) {
      const auto error = GetToolError(reversal.status());
      ASSERT_TRUE(error.has_value()) << reversal.status();
      ASSERT_EQ(error->code, ErrorCode::kConflict) << error->message;
      ASSERT_EQ(sandbox_.Dump(), before);
      continue;
    }
    ++done;
    const std::string after = sandbox_.Dump();
    const auto back = sandbox_.Reverse(*reversal->change);
    ASSERT_TRUE(back.ok()) << back.status();
    ASSERT_EQ(sandbox_.Dump(), before);
    ASSERT_TRUE(sandbox_.Reverse(*back->change).ok());
    ASSERT_EQ(sandbox_.Dump(), after);
  }
  EXPECT_GT(done, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SqlUndoPropertyTest, ::testing::Range(1, 101));

}  // namespace
}  // namespace toolgate::executors::sql::engine
