// Statements that reach beyond the tool's own objects: each is refused, and the database stays unchanged, byte for
// byte.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "security/safe_errors/scrubber.h"
#include "tests/support/sql_sandbox.h"

namespace toolgate::executors::sql::engine {
namespace {

using testing::SqlSandbox;

struct Attack {
  std::string name;
  std::string sql;
  ErrorCode code;
  std::string says;  // Part of the message.
};

constexpr ErrorCode kForbidden = ErrorCode::kForbidden;
constexpr ErrorCode kInvalid = ErrorCode::kInvalidParams;
constexpr char kNotOurs[] = "is not for this tool";

// Initial database of every attack.
const char* const kSetup[] = {
    "CREATE TABLE ai_t(id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT)",
    "CREATE TABLE ai_u(a UNIQUE)",
    "INSERT INTO ai_t(a) VALUES ('one'), ('two')",
    "CREATE VIEW ai_on_chats AS SELECT * FROM chats",
    "CREATE VIEW ai_loader AS SELECT load_extension('x') AS x",
    "CREATE VIEW ai_pragma AS SELECT * FROM pragma_database_list",
    "CREATE TRIGGER ai_fire AFTER INSERT ON ai_u BEGIN DELETE FROM chats; END",
    "CREATE TRIGGER ai_load AFTER UPDATE ON ai_u BEGIN SELECT load_extension('x'); END",
    "CREATE TRIGGER ai_master AFTER DELETE ON ai_u BEGIN DELETE FROM sqlite_sequence; END",
    "CREATE TABLE ai_ref(a REFERENCES messages(id))",
    "CREATE TABLE ai_default(a DEFAULT (load_extension('x')))",
};

class AttackTest : public ::testing::TestWithParam<Attack> {
 protected:
  void SetUp() override {
    for (const char* sql : kSetup) {
      const auto done = sandbox_.Run(sql);
      ASSERT_TRUE(done.ok()) << sql << ": " << done.status();
    }
  }

  // Time must not run out first where something else is to end the statement, however busy the machine is.
  SqlSandbox sandbox_{[](SqlLimits& limits) {
    limits.max_time = GetParam().code == ErrorCode::kTimeout ? absl::Milliseconds(300) : absl::Minutes(1);
  }};
};

TEST_P(AttackTest, IsRefused) {
  const std::vector<std::string> before = sandbox_.pages().pages;
  const auto answer = sandbox_.Run(GetParam().sql);
  ASSERT_FALSE(answer.ok()) << GetParam().sql << " answers " << DumpJson(*answer);
  const auto error = GetToolError(answer.status());
  ASSERT_TRUE(error.has_value()) << answer.status();
  EXPECT_EQ(ErrorCodeName(error->code), ErrorCodeName(GetParam().code)) << error->message;
  EXPECT_THAT(error->message, ::testing::HasSubstr(GetParam().says));
  // The whole message reaches the caller; repeating the statement may look like a leak.
  if (GetParam().code == kForbidden) {
    EXPECT_EQ(security::safe_errors::Scrubber().Scrub(error->message), error->message);
  }
  EXPECT_EQ(sandbox_.pages().pages, before);
}

std::string Name(const ::testing::TestParamInfo<Attack>& test) { return test.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Tables, AttackTest,
    ::testing::Values(
        Attack{"Chats", "SELECT * FROM chats", kForbidden, "the table \"chats\" is not for this tool"},
        Attack{"Messages", "SELECT * FROM messages", kForbidden, "the table \"messages\" is not for this tool"},
        Attack{"Settings", "SELECT * FROM settings", kForbidden, "the table \"settings\" is not for this tool"},
        Attack{"CountOnly", "SELECT count(*) FROM chats", kForbidden, kNotOurs},
        Attack{"AnyOther", "SELECT * FROM users", kForbidden, "begin with ai_"},
        Attack{"DoubleQuoted", "SELECT * FROM \"chats\"", kForbidden, kNotOurs},
        Attack{"Bracketed", "SELECT * FROM [chats]", kForbidden, kNotOurs},
        Attack{"Backticked", "SELECT * FROM `chats`", kForbidden, kNotOurs},
        Attack{"SingleQuoted", "SELECT * FROM 'chats'", kForbidden, kNotOurs},
        Attack{"Qualified", "SELECT * FROM main.chats", kForbidden, kNotOurs},
        Attack{"QuotedQualified", "SELECT * FROM \"main\".\"chats\"", kForbidden, kNotOurs},
        Attack{"OtherSchema", "SELECT * FROM temp.chats", kForbidden, kNotOurs},
        Attack{"UnknownSchema", "SELECT * FROM other.chats", kForbidden, kNotOurs},
        Attack{"MixedCase", "SELECT * FROM ChAtS", kForbidden, kNotOurs},
        Attack{"CommentInside", "SELECT * FROM/**/chats--x", kForbidden, kNotOurs},
        Attack{"UnicodeLookAlike", "SELECT * FROM аi_t", kForbidden, kNotOurs},  // The first letter is Cyrillic.
        Attack{"FullWidth", "SELECT * FROM ａｉ_t", kForbidden, kNotOurs},
        Attack{"PrefixElsewhere", "SELECT * FROM x_ai_", kForbidden, kNotOurs},
        Attack{"BlankBefore", "SELECT * FROM \" ai_t\"", kForbidden, kNotOurs},
        Attack{"Subquery", "SELECT (SELECT max(id) FROM chats)", kForbidden, kNotOurs},
        Attack{"In", "SELECT 1 WHERE 1 IN chats", kForbidden, kNotOurs},
        Attack{"Exists", "SELECT 1 FROM ai_t WHERE EXISTS (SELECT 1 FROM chats)", kForbidden, kNotOurs},
        Attack{"Union", "SELECT a FROM ai_t UNION ALL SELECT body FROM messages", kForbidden, kNotOurs},
        Attack{"Join", "SELECT * FROM ai_t JOIN chats USING (id)", kForbidden, kNotOurs},
        Attack{"Cte", "WITH ai_x AS (SELECT * FROM chats) SELECT * FROM ai_x", kForbidden, kNotOurs},
        Attack{"CteShadow",
               "WITH ai_x AS (SELECT * FROM chats), chats AS (SELECT * FROM ai_t) SELECT * FROM main.chats", kForbidden,
               kNotOurs},
        Attack{"InsertInto", "INSERT INTO chats VALUES (1)", kForbidden, kNotOurs},
        Attack{"InsertFrom", "INSERT INTO ai_u SELECT * FROM chats", kForbidden, kNotOurs},
        Attack{"Update", "UPDATE settings SET value = 1", kForbidden, kNotOurs},
        Attack{"UpdateFrom", "UPDATE ai_t SET a = c.x FROM chats c", kForbidden, kNotOurs},
        Attack{"Delete", "DELETE FROM messages", kForbidden, kNotOurs},
        Attack{"Create", "CREATE TABLE chats(a)", kForbidden, "the table \"chats\" is not for this tool"},
        Attack{"CreateOther", "CREATE TABLE notes(a)", kForbidden, kNotOurs},
        Attack{"CreateAs", "CREATE TABLE ai_copy AS SELECT * FROM chats", kForbidden, kNotOurs},
        Attack{"CreateIndexOn", "CREATE INDEX ai_i ON chats(a)", kForbidden, kNotOurs},
        Attack{"CreateIndexNamed", "CREATE INDEX chats ON ai_t(a)", kForbidden, "the index \"chats\""},
        Attack{"CreateViewNamed", "CREATE VIEW chats AS SELECT 1", kForbidden, "the view \"chats\""},
        Attack{"CreateTriggerNamed", "CREATE TRIGGER chats AFTER INSERT ON ai_t BEGIN SELECT 1; END", kForbidden,
               "the trigger \"chats\""},
        Attack{"CreateTriggerOn", "CREATE TRIGGER ai_x AFTER INSERT ON chats BEGIN SELECT 1; END", kForbidden,
               kNotOurs},
        Attack{"Drop", "DROP TABLE chats", kForbidden, kNotOurs},
        Attack{"RenameOther", "ALTER TABLE chats RENAME TO ai_chats", kForbidden, kNotOurs},
        Attack{"ThroughAView", "SELECT * FROM ai_on_chats", kForbidden, kNotOurs},
        Attack{"ThroughATrigger", "INSERT INTO ai_u VALUES (1)", kForbidden, kNotOurs},
        Attack{"ThroughAForeignKey", "INSERT INTO ai_ref VALUES (1)", kForbidden, kNotOurs},
        Attack{"Explain", "EXPLAIN SELECT * FROM chats", kForbidden, kNotOurs},
        Attack{"Returning", "INSERT INTO ai_t(a) VALUES ('x') RETURNING (SELECT 1 FROM chats)", kForbidden, kNotOurs}),
    Name);

INSTANTIATE_TEST_SUITE_P(
    Schema, AttackTest,
    ::testing::Values(Attack{"InsertIntoMaster",
                             "INSERT INTO sqlite_master VALUES ('table','chats','chats',2,'CREATE TABLE chats(a)')",
                             kForbidden, "can only be read"},
                      Attack{"UpdateSchema", "UPDATE sqlite_schema SET sql = 'CREATE TABLE chats(a)'", kForbidden,
                             "can only be read"},
                      Attack{"DeleteSchema", "DELETE FROM sqlite_master", kForbidden, "can only be read"},
                      Attack{"DropSchema", "DROP TABLE sqlite_master", kForbidden, ""},
                      Attack{"DropSequence", "DROP TABLE sqlite_sequence", kForbidden, ""},
                      Attack{"UpdateSequence", "UPDATE sqlite_sequence SET seq = 1", kForbidden, kNotOurs},
                      Attack{"SequenceByTrigger", "DELETE FROM ai_u", kForbidden, kNotOurs},
                      Attack{"DropAutoIndex", "DROP INDEX sqlite_autoindex_ai_t_1", kInvalid, "no such index"},
                      Attack{"ReservedName", "CREATE TABLE sqlite_x(a)", kForbidden, "reserved"},
                      Attack{"ReservedRename", "ALTER TABLE ai_t RENAME TO sqlite_x", kForbidden, "reserved"},
                      Attack{"TempSchema", "SELECT * FROM sqlite_temp_master", kForbidden, "temporary"},
                      Attack{"Statistics", "SELECT * FROM sqlite_stat1", kForbidden, kNotOurs},
                      Attack{"WritableSchema", "PRAGMA writable_schema = 1", kForbidden, "the pragma writable_schema"},
                      Attack{"TempTable", "CREATE TEMP TABLE ai_x(a)", kForbidden, "temporary"},
                      Attack{"TempTableBySchema", "CREATE TABLE temp.ai_x(a)", kForbidden, "temporary"},
                      Attack{"TempView", "CREATE TEMP VIEW ai_x AS SELECT 1", kForbidden, "temporary"},
                      Attack{"TempTrigger", "CREATE TEMP TRIGGER ai_x AFTER INSERT ON ai_t BEGIN SELECT 1; END",
                             kForbidden, "temporary"},
                      Attack{"VirtualFts", "CREATE VIRTUAL TABLE ai_f USING fts5(a)", kForbidden, "virtual tables"},
                      Attack{"VirtualRtree", "CREATE VIRTUAL TABLE ai_r USING rtree(a, b, c)", kForbidden,
                             "virtual tables"},
                      Attack{"VirtualUnknown", "CREATE VIRTUAL TABLE ai_c USING csv(filename='/etc/passwd')",
                             kForbidden, "virtual tables"},
                      Attack{"HiddenRowNumber", "CREATE TABLE ai_x(rowid, oid, _rowid_)", kInvalid, "_rowid_"}),
    Name);

INSTANTIATE_TEST_SUITE_P(
    Statements, AttackTest,
    ::testing::Values(
        Attack{"Attach", "ATTACH '/tmp/other.db' AS ai_other", kForbidden, "ATTACH"},
        Attack{"AttachMemory", "ATTACH ':memory:' AS ai_other", kForbidden, "ATTACH"},
        Attack{"AttachUri", "ATTACH 'file:/etc/passwd?mode=ro' AS ai_other", kForbidden, "ATTACH"},
        Attack{"Detach", "DETACH main", kForbidden, "ATTACH"}, Attack{"Vacuum", "VACUUM", kForbidden, "VACUUM"},
        Attack{"VacuumInto", "VACUUM INTO '/tmp/toolgate-stolen.db'", kForbidden, "VACUUM"},
        Attack{"VacuumMain", "VACUUM main INTO 'ai_x'", kForbidden, "VACUUM"},
        Attack{"Begin", "BEGIN", kForbidden, "transactions"},
        Attack{"BeginImmediate", "BEGIN IMMEDIATE TRANSACTION", kForbidden, "transactions"},
        Attack{"Commit", "COMMIT", kForbidden, "transactions"}, Attack{"End", "END", kForbidden, "transactions"},
        Attack{"Rollback", "ROLLBACK", kForbidden, "transactions"},
        Attack{"Savepoint", "SAVEPOINT ai_s", kForbidden, "savepoints"},
        Attack{"Release", "RELEASE ai_s", kForbidden, "savepoints"},
        Attack{"RollbackTo", "ROLLBACK TO ai_s", kForbidden, "savepoints"},
        Attack{"Analyze", "ANALYZE", kForbidden, "ANALYZE"},
        Attack{"AnalyzeTable", "ANALYZE ai_t", kForbidden, "ANALYZE"},
        Attack{"Reindex", "REINDEX", kForbidden, "REINDEX"},
        Attack{"ReindexTable", "REINDEX ai_u", kForbidden, "REINDEX"},
        Attack{"Two", "SELECT 1; SELECT 2", kInvalid, "more than one statement"},
        Attack{"SecondDrops", "SELECT 1; DROP TABLE ai_t", kInvalid, "more than one statement"},
        Attack{"SecondAfterComment", "SELECT 1 /* ; */ ; -- x\n DELETE FROM ai_t", kInvalid, "more than one statement"},
        Attack{"SecondIsWrong", "SELECT 1; nonsense", kInvalid, "more than one statement"},
        Attack{"SecondIsForbidden", "DELETE FROM ai_t; ATTACH 'x' AS y", kInvalid, "more than one statement"},
        Attack{"Empty", "", kInvalid, "no statement"}, Attack{"Blanks", " \n\t ", kInvalid, "no statement"},
        Attack{"OnlyComment", "-- SELECT 1", kInvalid, "no statement"},
        Attack{"OnlySemicolons", ";;;", kInvalid, "no statement"},
        Attack{"Nul", std::string("SELECT 1\0; DROP TABLE ai_t", 26), kInvalid, "NUL"},
        Attack{"IllFormed", "SELECT '\xFF'", kInvalid, "UTF-8"},
        Attack{"Parameter", "SELECT ?", kInvalid, "parameters"},
        Attack{"NamedParameter", "DELETE FROM ai_t WHERE a = :a", kInvalid, "parameters"},
        Attack{"DollarParameter", "SELECT $x, @y", kInvalid, "parameters"},
        Attack{"Syntax", "SELEC 1", kInvalid, "near \"SELEC\": syntax error"},
        Attack{"DotCommand", ".tables", kInvalid, "syntax error"},
        Attack{"Shell", ".shell id", kInvalid, "syntax error"},
        Attack{"DoubleQuotedText", "SELECT * FROM ai_t WHERE a = \"one\"", kInvalid, "single quotes"}),
    Name);

INSTANTIATE_TEST_SUITE_P(
    Pragmas, AttackTest,
    ::testing::Values(
        Attack{"DatabaseList", "PRAGMA database_list", kForbidden, "the pragma database_list"},
        Attack{"CompileOptions", "PRAGMA compile_options", kForbidden, "the pragma compile_options"},
        Attack{"FunctionList", "PRAGMA function_list", kForbidden, "the pragma function_list"},
        Attack{"ModuleList", "PRAGMA module_list", kForbidden, "the pragma module_list"},
        Attack{"UserVersion", "PRAGMA user_version = 7", kForbidden, "with a value"},
        Attack{"UserVersionCall", "PRAGMA user_version(7)", kForbidden, "with a value"},
        Attack{"ForeignKeysOff", "PRAGMA foreign_keys = OFF", kForbidden, "with a value"},
        Attack{"JournalMode", "PRAGMA journal_mode = WAL", kForbidden, "the pragma journal_mode"},
        Attack{"MaxPages", "PRAGMA max_page_count = 1000000", kForbidden, "the pragma max_page_count"},
        Attack{"CacheSize", "PRAGMA main.cache_size = 1000000", kForbidden, "the pragma cache_size"},
        Attack{"MmapSize", "PRAGMA mmap_size = 1000000", kForbidden, "the pragma mmap_size"},
        Attack{"TempDirectory", "PRAGMA temp_store_directory = '/tmp'", kForbidden, "the pragma temp_store_directory"},
        Attack{"TrustedSchema", "PRAGMA trusted_schema = 1", kForbidden, "the pragma trusted_schema"},
        Attack{"RecursiveTriggers", "PRAGMA recursive_triggers = 1", kForbidden, "the pragma recursive_triggers"},
        Attack{"HardHeapLimit", "PRAGMA hard_heap_limit = 1", kForbidden, "the pragma hard_heap_limit"},
        Attack{"SoftHeapLimit", "PRAGMA soft_heap_limit = 1", kForbidden, "the pragma soft_heap_limit"},
        Attack{"Threads", "PRAGMA threads = 8", kForbidden, "the pragma threads"},
        Attack{"Encoding", "PRAGMA encoding = 'UTF-16'", kForbidden, "with a value"},
        Attack{"IntegrityCheck", "PRAGMA integrity_check", kForbidden, "the pragma integrity_check"},
        Attack{"Optimize", "PRAGMA optimize", kForbidden, "the pragma optimize"},
        Attack{"WalCheckpoint", "PRAGMA wal_checkpoint", kForbidden, "the pragma wal_checkpoint"},
        Attack{"TableInfoOfChats", "PRAGMA table_info(chats)", kForbidden, kNotOurs},
        Attack{"TableInfoOfTemp", "PRAGMA temp.table_info(ai_t)", kForbidden, "temporary"},
        Attack{"Unknown", "PRAGMA nosuch", kForbidden, "the pragma nosuch"},
        Attack{"Quoted", "PRAGMA \"writable_schema\" = ON", kForbidden, "the pragma writable_schema"},
        Attack{"MixedCase", "PrAgMa WrItAbLe_ScHeMa(1)", kForbidden, "not available"},
        Attack{"Explained", "EXPLAIN PRAGMA writable_schema = 1", kForbidden, "the pragma writable_schema"},
        Attack{"AsTable", "SELECT * FROM pragma_database_list", kForbidden, "the pragma database_list"},
        Attack{"AsTableCounted", "SELECT count(*) FROM pragma_compile_options", kForbidden,
               "the pragma compile_options"},
        Attack{"AsTableWithArgument", "SELECT name FROM pragma_table_info('chats')", kForbidden, kNotOurs},
        Attack{"AsTableWithSchema", "SELECT name FROM pragma_table_info('ai_t', 'temp')", kForbidden, "temporary"},
        Attack{"InAView", "SELECT * FROM ai_pragma", kForbidden, "pragma_database_list"}),
    Name);

INSTANTIATE_TEST_SUITE_P(
    Functions, AttackTest,
    ::testing::Values(
        Attack{"LoadExtension", "SELECT load_extension('/tmp/evil.so')", kForbidden, "load_extension"},
        Attack{"LoadExtensionEntry", "SELECT load_extension('/tmp/evil.so', 'main')", kForbidden, "load_extension"},
        Attack{"InAView", "SELECT * FROM ai_loader", kForbidden, "load_extension"},
        Attack{"InATrigger", "UPDATE ai_u SET a = 1", kForbidden, ""},
        Attack{"InADefault", "INSERT INTO ai_default DEFAULT VALUES", kForbidden, "load_extension"},
        Attack{"InACheck", "CREATE TABLE ai_x(a CHECK (sqlite_log(1, a) IS NULL))", kForbidden, "sqlite_log"},
        Attack{"InAnIndex", "CREATE INDEX ai_x ON ai_t(json_patch(a, a))", kForbidden, "json_patch"},
        Attack{"ReadFile", "SELECT readfile('/etc/passwd')", kInvalid, "no such function: readfile"},
        Attack{"WriteFile", "SELECT writefile('/tmp/x', 'y')", kInvalid, "no such function: writefile"},
        Attack{"Edit", "SELECT edit('x', 'vi')", kInvalid, "no such function: edit"},
        Attack{"Tokenizer", "SELECT fts3_tokenizer('simple')", kForbidden, "fts3_tokenizer"},
        Attack{"SourceId", "SELECT sqlite_source_id()", kForbidden, "sqlite_source_id"},
        Attack{"CompileOption", "SELECT sqlite_compileoption_get(1)", kForbidden, "sqlite_compileoption_get"},
        Attack{"Log", "SELECT sqlite_log(1, 'x')", kForbidden, "sqlite_log"},
        Attack{"RenameInternals", "SELECT sqlite_rename_test('main', '', '', '', 0, '', 0)", kForbidden,
               "sqlite_rename_test"},
        Attack{"Rtree", "SELECT rtreecheck('ai_t')", kForbidden, "rtreecheck"},
        Attack{"Regexp", "SELECT 'a' REGEXP 'a'", kInvalid, "REGEXP"},
        Attack{"Match", "SELECT a FROM ai_t WHERE a MATCH 'x'", kForbidden, "match"},
        Attack{"DbStat", "SELECT * FROM dbstat", kForbidden, kNotOurs},
        Attack{"DbStatCounted", "SELECT count(*) FROM dbstat", kForbidden, kNotOurs},
        Attack{"Statements", "SELECT * FROM sqlite_stmt", kForbidden, kNotOurs},
        Attack{"StatementsCounted", "SELECT count(*) FROM sqlite_stmt", kForbidden, kNotOurs},
        Attack{"Series", "SELECT * FROM generate_series(1, 10)", kForbidden, kNotOurs},
        Attack{"TooMany",
               absl::StrCat(
                   "VALUES (1",
                   [] {
                     std::string calls;
                     for (int i = 0; i < 2100; ++i) absl::StrAppend(&calls, i % 100 == 0 ? "),(1" : "+abs(1)");
                     return calls;
                   }(),
                   ")"),
               kForbidden, "at most 2000 functions"}),
    Name);

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

constexpr ErrorCode kQuota = ErrorCode::kQuotaExceeded;
constexpr ErrorCode kTimeout = ErrorCode::kTimeout;
constexpr char kSome[] = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000) ";
constexpr char kEndless[] = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) ";

INSTANTIATE_TEST_SUITE_P(
    Exhaustion, AttackTest,
    ::testing::Values(
        Attack{"EndlessRecursion", absl::StrCat(kEndless, "SELECT count(*) FROM c"), kTimeout, "stopped after 300ms"},
        Attack{"EndlessInsert", absl::StrCat(kEndless, "INSERT INTO ai_u SELECT x FROM c"), kForbidden, kNotOurs},
        Attack{"EndlessInsertWithoutTrigger", absl::StrCat(kEndless, "INSERT INTO ai_t(a) SELECT x FROM c"), kTimeout,
               "nothing was changed"},
        Attack{"EndlessSort", absl::StrCat(kEndless, "SELECT x FROM c ORDER BY random()"), kTimeout, ""},
        Attack{"EndlessGroups", absl::StrCat(kEndless, "SELECT count(DISTINCT x) FROM c"), kTimeout, ""},
        Attack{
            "CrossJoin",
            "WITH t(x) AS (VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)) SELECT count(*) FROM t a, t b, t c, t d, t "
            "e, t f, t g, t h, t i, t j, t k",
            kTimeout, ""},
        Attack{"HugeBlob", "SELECT zeroblob(1000000000)", kQuota, "longer than"},
        Attack{"HugeRandom", "SELECT length(randomblob(1000000000))", kQuota, "longer than"},
        Attack{"HugePrintf", "SELECT printf('%.*c', 1000000000, 'x')", kQuota, "longer than"},
        Attack{"HugeWidth", "SELECT printf('%2000000000d', 1)", kQuota, "longer than"},
        Attack{"HugePrecision", "SELECT format('%.*f', 1000000000, 1.5)", kQuota, "longer than"},
        Attack{"HugeReplace", "SELECT replace(hex(zeroblob(100000)), '0', hex(zeroblob(1000)))", kQuota, "longer than"},
        Attack{"HugeConcat", absl::StrCat(kSome, "SELECT group_concat(x, hex(zeroblob(1000))) FROM c"), kQuota,
               "longer than"},
        Attack{"HugeJson", absl::StrCat(kSome, "SELECT json_group_array(hex(zeroblob(10000))) FROM c"), kQuota, ""},
        Attack{"ManyLargeValues",
               absl::StrCat("SELECT ", Repeated("upper(hex(zeroblob(260000))) || random(), ", 190), "1"), kQuota,
               "MiB of memory"},
        Attack{
            "LargeTemporaryTable",
            absl::StrCat("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 2000), ai_b AS "
                         "MATERIALIZED (SELECT hex(zeroblob(200000)) AS b FROM c) SELECT count(*) FROM ai_b x, ai_b y"),
            kQuota, "MiB of memory"},
        Attack{"SlowLike", "SELECT replace(hex(zeroblob(250000)), '0', 'a') LIKE '%" + Repeated("a", 4000) + "b'",
               kTimeout, ""},
        Attack{"SlowGlob", "SELECT replace(hex(zeroblob(250000)), '0', 'a') GLOB '*" + Repeated("[a-z]", 1000) + "b'",
               kTimeout, ""},
        Attack{"LongPattern", "SELECT 'a' LIKE '" + Repeated("%a", 6000) + "'", kInvalid, "too complex"},
        Attack{"DeepExpression", "SELECT " + Repeated("1+(", 300) + "1" + Repeated(")", 300), kInvalid, ""},
        Attack{"LongExpression", "SELECT 1" + Repeated("+1", 5000), kInvalid, "too large"},
        Attack{"DeepSubqueries", Repeated("SELECT * FROM (", 200) + "SELECT 1" + Repeated(")", 200), kInvalid, ""},
        Attack{"DeepCase", "SELECT " + Repeated("CASE WHEN 1 THEN ", 300) + "1" + Repeated(" END", 300), kInvalid, ""},
        Attack{"ManyColumns", "SELECT 1" + Repeated(",1", 300), kInvalid, "too many columns"},
        Attack{"WideTable", "CREATE TABLE ai_w(a" + Repeated(", a", 300) + ")", kInvalid, ""},
        Attack{"ManyTerms", "SELECT 1" + Repeated(" UNION ALL SELECT 1", 100), kInvalid, "too many terms"},
        Attack{"ManyTables", "SELECT 1 FROM ai_t" + Repeated(", ai_t", 80), kInvalid, "at most 64 tables"},
        Attack{"RecursiveTrigger",
               "CREATE TABLE ai_x AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x FROM c",
               kTimeout, ""}),
    Name);

// ---- Attacks with a database of their own ---------------------------------------------------------------------------

TEST(SqlBoundsTest, NoTableIsRenamedToAnothersName) {
  SqlSandbox sandbox;
  ASSERT_TRUE(sandbox.Run("CREATE TABLE ai_t(a)").ok());
  const auto before = sandbox.pages().pages;
  for (const char* name : {"chats", "notes", "x_ai_t"}) {
    const auto answer = sandbox.Run(absl::StrCat("ALTER TABLE ai_t RENAME TO ", name));
    ASSERT_FALSE(answer.ok()) << name;
    const auto error = GetToolError(answer.status());
    ASSERT_TRUE(error.has_value()) << answer.status();
    EXPECT_EQ(error->code, ErrorCode::kForbidden);
    EXPECT_THAT(error->message, ::testing::HasSubstr(absl::StrCat("the table \"", name, "\" is not for this tool")));
    EXPECT_EQ(sandbox.pages().pages, before);
  }
}

TEST(SqlBoundsTest, ViewsThatDoubleStopWhileTheyCompile) {
  SqlSandbox sandbox{[](SqlLimits& limits) { limits.max_time = absl::Milliseconds(300); }};
  ASSERT_TRUE(sandbox.Run("CREATE VIEW ai_v0 AS SELECT 1 AS a").ok());
  for (int i = 1; i <= 40; ++i) {
    ASSERT_TRUE(sandbox
                    .Run(absl::StrCat("CREATE VIEW ai_v", i, " AS SELECT a FROM ai_v", i - 1,
                                      " UNION SELECT max(a) FROM ai_v", i - 1))
                    .ok());
  }
  const absl::Time start = absl::Now();
  const auto answer = sandbox.Run("SELECT * FROM ai_v40");
  ASSERT_FALSE(answer.ok());
  const auto error = GetToolError(answer.status());
  ASSERT_TRUE(error.has_value()) << answer.status();
  EXPECT_THAT(error->code, ::testing::AnyOf(ErrorCode::kTimeout, ErrorCode::kQuotaExceeded)) << error->message;
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
}

TEST(SqlBoundsTest, TriggersThatCallEachOtherEnd) {
  SqlSandbox sandbox;
  ASSERT_TRUE(sandbox.Run("CREATE TABLE ai_a(x)").ok());
  ASSERT_TRUE(sandbox.Run("CREATE TABLE ai_b(x)").ok());
  ASSERT_TRUE(
      sandbox.Run("CREATE TRIGGER ai_ab AFTER INSERT ON ai_a BEGIN INSERT INTO ai_b VALUES (1), (2); END").ok());
  ASSERT_TRUE(
      sandbox.Run("CREATE TRIGGER ai_ba AFTER INSERT ON ai_b BEGIN INSERT INTO ai_a VALUES (1), (2); END").ok());
  const auto before = sandbox.pages().pages;
  // Without recursive triggers, the second one starts no third.
  ASSERT_TRUE(sandbox.Run("INSERT INTO ai_a VALUES (1)").ok());
  EXPECT_EQ(sandbox.last().affected_rows, 1);
  EXPECT_NE(sandbox.pages().pages, before);
}

TEST(SqlBoundsTest, TheDatabaseHasALargestSize) {
  SqlSandbox sandbox{[](SqlLimits& limits) { limits.max_database_bytes = 256 << 10; }};
  ASSERT_TRUE(sandbox.Run("CREATE TABLE ai_t(a)").ok());
  const char kFill[] = "INSERT INTO ai_t VALUES (zeroblob(60000))";
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(sandbox.Run(kFill).ok());
  const auto before = sandbox.pages().pages;
  const auto full = sandbox.Run(kFill);
  ASSERT_FALSE(full.ok());
  const auto error = GetToolError(full.status());
  ASSERT_TRUE(error.has_value()) << full.status();
  EXPECT_EQ(error->code, ErrorCode::kQuotaExceeded);
  EXPECT_FALSE(error->retryable) << "the same statement meets the same bound";
  EXPECT_THAT(error->message, ::testing::HasSubstr("256 KiB"));
  EXPECT_EQ(sandbox.pages().pages, before);
  EXPECT_LE(sandbox.pages().pages.size(), size_t{64});
  // Deleting makes room.
  ASSERT_TRUE(sandbox.Run("DELETE FROM ai_t WHERE rowid = 1").ok());
  EXPECT_TRUE(sandbox.Run(kFill).ok());
}

TEST(SqlBoundsTest, AnAnswerHasAtMostSoManyRowsAndSaysHowManyThereAre) {
  SqlSandbox sandbox{[](SqlLimits& limits) { limits.max_rows = 3; }};
  const auto answer =
      sandbox.Run("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000) SELECT x FROM c");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(DumpJson(*answer), R"({"rows":[{"x":1},{"x":2},{"x":3}],"truncated":true,"totalCount":1000})");
}

TEST(SqlBoundsTest, AnAnswerThatFitsIsNotTruncated) {
  SqlSandbox sandbox{[](SqlLimits& limits) { limits.max_rows = 3; }};
  const auto answer = sandbox.Run("VALUES (1), (2), (3)");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_FALSE(answer->contains("truncated"));
}

TEST(SqlBoundsTest, AnAnswerHasAtMostSoManyBytes) {
  SqlSandbox sandbox{[](SqlLimits& limits) { limits.max_answer_bytes = 1000; }};
  const auto answer = sandbox.Run(
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 10) SELECT hex(zeroblob(100)) AS h FROM c");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ((*answer)["rows"].size(), 4u);
  EXPECT_EQ((*answer)["totalCount"], 10);
  EXPECT_LE(DumpJson((*answer)["rows"]).size(), 1000u);
}

TEST(SqlBoundsTest, RowsThatAreTooManyToCountAreNotCounted) {
  SqlSandbox sandbox{[](SqlLimits& limits) {
    limits.max_rows = 1;
    limits.max_time = absl::Seconds(60);
  }};
  const auto answer = sandbox.Run(absl::StrCat(kEndless, "SELECT x FROM c"));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(DumpJson(*answer), R"({"rows":[{"x":1}],"truncated":true})");
}

TEST(SqlBoundsTest, AChangeTooLargeToUndoIsRefused) {
  SqlSandbox sandbox{[](SqlLimits& limits) { limits.max_undo_bytes = 10'000; }};
  ASSERT_TRUE(sandbox.Run("CREATE TABLE ai_t(a)").ok());
  const auto before = sandbox.pages().pages;
  const auto refused = sandbox.Run("INSERT INTO ai_t VALUES (zeroblob(20000))");
  ASSERT_FALSE(refused.ok());
  const auto error = GetToolError(refused.status());
  ASSERT_TRUE(error.has_value()) << refused.status();
  EXPECT_EQ(error->code, ErrorCode::kQuotaExceeded);
  EXPECT_THAT(error->message, ::testing::HasSubstr("undo"));
  EXPECT_EQ(sandbox.pages().pages, before);
}

TEST(SqlBoundsTest, AClientThatLeftStopsTheStatement) {
  SqlSandbox sandbox;
  sandbox.cancellation().Cancel();
  const auto answer = sandbox.Run("SELECT 1");
  ASSERT_FALSE(answer.ok());
  const auto error = GetToolError(answer.status());
  ASSERT_TRUE(error.has_value()) << answer.status();
  EXPECT_EQ(error->code, ErrorCode::kCancelled);
}

// Leaves after a number of checks.
class Impatient final : public fibers::CancellationSource {
 public:
  explicit Impatient(int patience) : patience_(patience) {}
  bool Cancelled() const override { return --patience_ < 0; }

 private:
  mutable int patience_;
};

TEST(SqlBoundsTest, AClientThatLeavesMeanwhileStopsTheStatement) {
  for (const char* sql :
       {"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) INSERT INTO ai_t SELECT x FROM c",
        "SELECT replace(hex(zeroblob(250000)), '0', 'a') LIKE '%aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'"}) {
    SqlSandbox sandbox{[](SqlLimits& limits) { limits.max_time = absl::Minutes(5); }};
    ASSERT_TRUE(sandbox.Run("CREATE TABLE ai_t(a)").ok());
    const auto before = sandbox.pages().pages;
    const Impatient client(150);
    sandbox.cancellation().Watch(client);
    const auto answer = sandbox.Run(sql);
    ASSERT_FALSE(answer.ok()) << sql;
    const auto error = GetToolError(answer.status());
    ASSERT_TRUE(error.has_value()) << answer.status();
    EXPECT_EQ(error->code, ErrorCode::kCancelled) << sql;
    EXPECT_EQ(sandbox.pages().pages, before);
  }
}

TEST(SqlBoundsTest, ALongNameIsCutInTheMessage) {
  SqlSandbox sandbox;
  const std::string name(50'000, 'x');
  for (const std::string& sql : {"SELECT * FROM " + name, "SELEC " + name, "PRAGMA " + name,
                                 "CREATE TABLE " + name + "(a)", "SELECT " + name + "(1)", "SELECT \"" + name + "\""}) {
    const auto error = GetToolError(sandbox.Run(sql).status());
    ASSERT_TRUE(error.has_value());
    EXPECT_LT(error->message.size(), 700u);
  }
}

TEST(SqlBoundsTest, WhatTheStoreAnswersIsPassedOn) {
  SqlSandbox sandbox;
  ASSERT_TRUE(sandbox.Run("CREATE TABLE ai_t(a)").ok());
  sandbox.pages().failure = absl::UnavailableError("the store is away");
  EXPECT_EQ(sandbox.Run("SELECT * FROM ai_t").status(), absl::UnavailableError("the store is away"));
  EXPECT_EQ(sandbox.Run("INSERT INTO ai_t VALUES (1)").status(), absl::UnavailableError("the store is away"));
}

TEST(SqlBoundsTest, DamagedPagesAreTheOperatorsMatter) {
  SqlSandbox sandbox;
  ASSERT_TRUE(sandbox.Run("CREATE TABLE ai_t(a)").ok());
  sandbox.pages().pages[0].assign(4096, 'x');
  const auto answer = sandbox.Run("SELECT * FROM ai_t");
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kDataLoss) << answer.status();
  EXPECT_FALSE(GetToolError(answer.status()).has_value());
}

TEST(SqlBoundsTest, ConstraintsAreConflictsThatNameTheColumn) {
  SqlSandbox sandbox;
  ASSERT_TRUE(sandbox.Run("CREATE TABLE ai_t(a UNIQUE, b NOT NULL DEFAULT 1 CHECK (b < 10))").ok());
  ASSERT_TRUE(sandbox.Run("INSERT INTO ai_t(a) VALUES (1)").ok());
  const auto before = sandbox.pages().pages;
  for (const auto& [sql, says] : std::vector<std::pair<std::string, std::string>>{
           {"INSERT INTO ai_t(a) VALUES (2), (1)", "UNIQUE constraint failed: ai_t.a"},
           {"UPDATE ai_t SET b = NULL", "NOT NULL constraint failed: ai_t.b"},
           {"UPDATE ai_t SET b = 11", "CHECK constraint failed: b < 10"},
           {"INSERT OR FAIL INTO ai_t(a) VALUES (3), (1)", "UNIQUE"},
           {"INSERT OR ROLLBACK INTO ai_t(a) VALUES (3), (1)", "UNIQUE"}}) {
    const auto answer = sandbox.Run(sql);
    ASSERT_FALSE(answer.ok()) << sql;
    const auto error = GetToolError(answer.status());
    ASSERT_TRUE(error.has_value()) << answer.status();
    EXPECT_EQ(error->code, ErrorCode::kConflict) << sql;
    EXPECT_THAT(error->message, ::testing::HasSubstr(says));
    EXPECT_EQ(sandbox.pages().pages, before) << sql;
  }
}

}  // namespace
}  // namespace toolgate::executors::sql::engine
