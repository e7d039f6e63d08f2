// SQL that people and models write for analysis: it works, with exactly these answers.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/sql_sandbox.h"

namespace toolgate::executors::sql::engine {
namespace {

using testing::SqlSandbox;

struct StatementCase {
  std::string name;
  std::vector<std::string> setup;
  std::string sql;
  std::string answer;
};

class StatementTest : public ::testing::TestWithParam<StatementCase> {};

TEST_P(StatementTest, Answers) {
  SqlSandbox sandbox;
  for (const std::string& sql : GetParam().setup) {
    const auto done = sandbox.Run(sql);
    ASSERT_TRUE(done.ok()) << sql << ": " << done.status();
  }
  const auto answer = sandbox.Run(GetParam().sql);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(DumpJson(*answer), GetParam().answer);
}

const std::vector<std::string> kSales = {
    "CREATE TABLE ai_people(id INTEGER PRIMARY KEY, name TEXT NOT NULL, team TEXT)",
    "CREATE TABLE ai_sales(id INTEGER PRIMARY KEY, person INTEGER REFERENCES ai_people(id), day TEXT, amount REAL)",
    "INSERT INTO ai_people VALUES (1,'Ann','red'),(2,'Bob','red'),(3,'Cy','blue'),(4,'Di',NULL)",
    "INSERT INTO ai_sales(person, day, amount) VALUES (1,'2026-01-05',10),(1,'2026-02-07',20.5),(2,'2026-02-08',5),"
    "(3,'2026-02-08',7.25),(3,'2026-03-01',1)",
};

std::vector<std::string> With(std::vector<std::string> setup, const std::string& sql) {
  setup.push_back(sql);
  return setup;
}

std::vector<StatementCase> Cases() {
  return {
      {"CreateTable", {}, "CREATE TABLE ai_t(a)", R"({"success":true})"},
      {"PrefixInAnyCase", {"CREATE TABLE AI_T(a)"}, "SELECT count(*) AS n FROM Ai_t", R"({"rows":[{"n":0}]})"},
      {"Insert", {"CREATE TABLE ai_t(a)"}, "INSERT INTO ai_t VALUES (1),(2)", R"({"affectedRows":2})"},
      {"Update", kSales, "UPDATE ai_sales SET amount = amount + 1 WHERE person = 1", R"({"affectedRows":2})"},
      {"Delete", kSales, "DELETE FROM ai_sales WHERE person = 3", R"({"affectedRows":2})"},
      {"DeleteAll", kSales, "DELETE FROM ai_sales", R"({"affectedRows":5})"},
      {"Replace",
       {"CREATE TABLE ai_t(a PRIMARY KEY, b)", "INSERT INTO ai_t VALUES (1,1)"},
       "REPLACE INTO ai_t VALUES (1,2)",
       R"({"affectedRows":1})"},
      {"Upsert",
       {"CREATE TABLE ai_count(word TEXT PRIMARY KEY, n INT)", "INSERT INTO ai_count VALUES ('a', 1)"},
       "INSERT INTO ai_count VALUES ('a', 1), ('b', 1) ON CONFLICT(word) DO UPDATE SET n = n + excluded.n "
       "RETURNING word, n",
       R"({"rows":[{"word":"a","n":2},{"word":"b","n":1}],"affectedRows":2})"},
      {"TrailingSemicolonAndComments", {}, "-- why\nSELECT 1 AS a; ; -- done\n/* really */ ;", R"({"rows":[{"a":1}]})"},
      {"JoinAndGroup", kSales,
       "SELECT p.team, count(*) AS n, sum(s.amount) AS total FROM ai_sales s JOIN ai_people p ON p.id = s.person "
       "GROUP BY p.team HAVING total > 1 ORDER BY total DESC",
       R"({"rows":[{"team":"red","n":3,"total":35.5},{"team":"blue","n":2,"total":8.25}]})"},
      {"LeftJoin", kSales,
       "SELECT name FROM ai_people LEFT JOIN ai_sales ON person = ai_people.id WHERE ai_sales.id IS NULL",
       R"({"rows":[{"name":"Di"}]})"},
      {"WindowFunctions", kSales,
       "SELECT id, rank() OVER (ORDER BY amount DESC) AS r, sum(amount) OVER (PARTITION BY person ORDER BY day) AS run "
       "FROM ai_sales ORDER BY id LIMIT 3",
       R"({"rows":[{"id":1,"r":2,"run":10.0},{"id":2,"r":1,"run":30.5},{"id":3,"r":4,"run":5.0}]})"},
      {"RecursiveCte",
       {},
       "WITH RECURSIVE f(a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM f LIMIT 8) SELECT max(a) AS m FROM f",
       R"({"rows":[{"m":13}]})"},
      {"CteWithTheNameOfAProtectedTable",
       {},
       "WITH chats(n) AS (VALUES (1), (2)) SELECT count(*) AS c, (SELECT sum(n) FROM chats) AS s FROM chats",
       R"({"rows":[{"c":2,"s":3}]})"},
      {"AliasWithTheNameOfAProtectedTable", kSales, "SELECT count(*) AS n FROM ai_people AS messages",
       R"({"rows":[{"n":4}]})"},
      {"ColumnWithTheNameOfAProtectedTable",
       {"CREATE TABLE ai_t(settings TEXT)", "INSERT INTO ai_t VALUES ('the chats table')"},
       "SELECT settings FROM ai_t WHERE settings LIKE '%CHATS%'",
       R"({"rows":[{"settings":"the chats table"}]})"},
      {"Json",
       {"CREATE TABLE ai_j(d TEXT)", R"(INSERT INTO ai_j VALUES ('{"tags":["a","b"],"n":{"x":1.5}}'))"},
       "SELECT d ->> '$.n.x' AS x, json_array_length(d, '$.tags') AS n, t.value AS tag FROM ai_j, "
       "json_each(d, '$.tags') t",
       R"({"rows":[{"x":1.5,"n":2,"tag":"a"},{"x":1.5,"n":2,"tag":"b"}]})"},
      {"JsonAggregate", kSales, "SELECT json_group_array(name) AS names FROM ai_people",
       R"({"rows":[{"names":"[\"Ann\",\"Bob\",\"Cy\",\"Di\"]"}]})"},
      {"JsonTree",
       {},
       R"(SELECT fullkey FROM json_tree('{"a":[1]}') WHERE atom IS NOT NULL)",
       R"({"rows":[{"fullkey":"$.a[0]"}]})"},
      {"DatesOfTheCall",
       {},
       "SELECT date('now') AS d, datetime('now', '+1 day') AS t, strftime('%w', 'now') AS w, unixepoch('now') AS u, "
       "CURRENT_TIME AS c, julianday('2026-03-02') - julianday('2026-02-28') AS days",
       R"({"rows":[{"d":"2026-03-02","t":"2026-03-03 09:00:00","w":"1","u":1772442000,"c":"09:00:00","days":2.0}]})"},
      {"PivotByMonth", kSales,
       "SELECT strftime('%Y-%m', day) AS month, sum(amount) FILTER (WHERE person = 1) AS ann FROM ai_sales "
       "GROUP BY month ORDER BY month",
       R"({"rows":[{"month":"2026-01","ann":10.0},{"month":"2026-02","ann":20.5},{"month":"2026-03","ann":null}]})"},
      {"Types",
       {},
       "SELECT 9007199254740993 AS big, -9223372036854775807 AS low, 1.5 AS r, 'é' AS t, NULL AS n, x'00ff' AS b, "
       "9e999 AS inf, TRUE AS yes",
       R"({"rows":[{"big":9007199254740993,"low":-9223372036854775807,"r":1.5,"t":"é","n":null,)"
       R"("b":{"base64":"AP8="},"inf":null,"yes":1}]})"},
      {"IllFormedText",
       {},
       "SELECT CAST(x'41ff42' AS TEXT) AS t",
       "{\"rows\":[{\"t\":\"A\xEF\xBF\xBD"
       "B\"}]}"},
      {"SameColumnNames",
       {},
       "SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a",
       R"({"rows":[{"a":1,"a_2":2,"a_2_2":3,"a_3":4}]})"},
      {"UnnamedColumns", {}, "SELECT 1, 'x' || 'y'", R"({"rows":[{"1":1,"'x' || 'y'":"xy"}]})"},
      {"View", With(kSales, "CREATE VIEW ai_red AS SELECT name FROM ai_people WHERE team = 'red'"),
       "SELECT group_concat(name) AS names FROM ai_red", R"({"rows":[{"names":"Ann,Bob"}]})"},
      {"TriggerRuns",
       {"CREATE TABLE ai_t(a)", "CREATE TABLE ai_log(a)",
        "CREATE TRIGGER ai_note AFTER INSERT ON ai_t BEGIN INSERT INTO ai_log VALUES (new.a); END",
        "INSERT INTO ai_t VALUES (7)"},
       "SELECT a FROM ai_log",
       R"({"rows":[{"a":7}]})"},
      {"InsteadOfTrigger",
       {"CREATE TABLE ai_t(a)", "CREATE VIEW ai_v AS SELECT a FROM ai_t",
        "CREATE TRIGGER ai_put INSTEAD OF INSERT ON ai_v BEGIN INSERT INTO ai_t VALUES (new.a * 2); END",
        "INSERT INTO ai_v VALUES (21)"},
       "SELECT a FROM ai_t",
       R"({"rows":[{"a":42}]})"},
      {"CreateIndex", kSales, "CREATE INDEX ai_by_day ON ai_sales(day)", R"({"success":true})"},
      {"PartialUniqueIndexOnExpression", kSales,
       "CREATE UNIQUE INDEX ai_names ON ai_people(lower(name)) WHERE team IS NOT NULL", R"({"success":true})"},
      {"GeneratedColumns",
       {"CREATE TABLE ai_g(v AS (a * 2), a INT, s TEXT AS (a || '!') STORED)", "INSERT INTO ai_g(a) VALUES (4)"},
       "SELECT * FROM ai_g",
       R"({"rows":[{"v":8,"a":4,"s":"4!"}]})"},
      {"StrictTable",
       {"CREATE TABLE ai_s(a INTEGER, b TEXT) STRICT", "INSERT INTO ai_s VALUES ('12', 'x')"},
       "SELECT typeof(a) AS t FROM ai_s",
       R"({"rows":[{"t":"integer"}]})"},
      {"WithoutRowid",
       {"CREATE TABLE ai_w(k TEXT PRIMARY KEY, v) WITHOUT ROWID", "INSERT INTO ai_w VALUES ('b',1),('a',2)"},
       "SELECT k FROM ai_w",
       R"({"rows":[{"k":"a"},{"k":"b"}]})"},
      {"Autoincrement",
       {"CREATE TABLE ai_a(id INTEGER PRIMARY KEY AUTOINCREMENT, t)", "INSERT INTO ai_a(t) VALUES ('x'),('y')",
        "DELETE FROM ai_a"},
       "INSERT INTO ai_a(t) VALUES ('z') RETURNING id",
       R"({"rows":[{"id":3}],"affectedRows":1})"},
      {"CreateTableAsSelect", With(kSales, "CREATE TABLE ai_copy AS SELECT * FROM ai_people"),
       "SELECT count(*) AS n FROM ai_copy", R"({"rows":[{"n":4}]})"},
      {"AlterTable",
       With(With(kSales, "ALTER TABLE ai_people ADD COLUMN age INT NOT NULL DEFAULT 3 CHECK (age > 1)"),
            "ALTER TABLE ai_people RENAME COLUMN age TO years"),
       "SELECT sum(years) AS y FROM ai_people", R"({"rows":[{"y":12}]})"},
      {"RenameTable", With(kSales, "ALTER TABLE ai_people RENAME TO ai_staff"), "SELECT count(*) AS n FROM ai_staff",
       R"({"rows":[{"n":4}]})"},
      {"DropColumn", With(kSales, "ALTER TABLE ai_people DROP COLUMN team"), "SELECT * FROM ai_people LIMIT 1",
       R"({"rows":[{"id":1,"name":"Ann"}]})"},
      {"UpdateFrom", kSales, "UPDATE ai_people SET team = s.day FROM ai_sales s WHERE s.person = ai_people.id",
       R"({"affectedRows":3})"},
      {"DeleteWithLimit", kSales, "DELETE FROM ai_sales ORDER BY amount LIMIT 2", R"({"affectedRows":2})"},
      {"InsertOrIgnore", kSales, "INSERT OR IGNORE INTO ai_people VALUES (1,'X','y')", R"({"affectedRows":0})"},
      {"ReadTheSchema",
       {"CREATE TABLE ai_t(a)"},
       "SELECT type, name, sql FROM sqlite_schema",
       R"x({"rows":[{"type":"table","name":"ai_t","sql":"CREATE TABLE ai_t(a)"}]})x"},
      {"CountTheSchema", {"CREATE TABLE ai_t(a)"}, "SELECT count(*) AS n FROM sqlite_schema", R"({"rows":[{"n":1}]})"},
      {"CountTheSchemaByItsOldName", {}, "SELECT count(*) AS n FROM main.SQLITE_MASTER", R"({"rows":[{"n":0}]})"},
      {"CountOfATableFunction", {}, "SELECT count(*) AS n FROM JSON_EACH('[1,2]')", R"({"rows":[{"n":2}]})"},
      {"ReadTheCounters",
       {"CREATE TABLE ai_a(id INTEGER PRIMARY KEY AUTOINCREMENT)", "INSERT INTO ai_a DEFAULT VALUES"},
       "SELECT * FROM sqlite_sequence",
       R"({"rows":[{"name":"ai_a","seq":1}]})"},
      {"PragmaTableInfo",
       {"CREATE TABLE ai_t(a INT)"},
       "PRAGMA table_info(ai_t)",
       R"({"rows":[{"cid":0,"name":"a","type":"INT","notnull":0,"dflt_value":null,"pk":0}]})"},
      {"PragmaAsTable",
       {"CREATE TABLE ai_t(a INT, b)"},
       "SELECT m.name, p.name AS col FROM sqlite_schema m, pragma_table_info(m.name) p",
       R"({"rows":[{"name":"ai_t","col":"a"},{"name":"ai_t","col":"b"}]})"},
      {"PragmaWithoutValue", {}, "PRAGMA user_version", R"({"rows":[{"user_version":0}]})"},
      {"QueryPlan", kSales, "EXPLAIN QUERY PLAN SELECT * FROM ai_people WHERE id = 1",
       R"x({"rows":[{"id":2,"parent":0,"notused":0,"detail":"SEARCH ai_people USING INTEGER PRIMARY KEY (rowid=?)"}]})x"},
      {"ExplainOfADropDropsNothing", With(kSales, "EXPLAIN DROP TABLE ai_sales"), "SELECT count(*) AS n FROM ai_sales",
       R"({"rows":[{"n":5}]})"},
      {"CompoundSelect", kSales,
       "SELECT name FROM ai_people WHERE id < 3 UNION SELECT 'Zed' EXCEPT SELECT 'Bob' ORDER BY 1",
       R"({"rows":[{"name":"Ann"},{"name":"Zed"}]})"},
      {"QuotedIdentifiers",
       {"CREATE TABLE \"ai_odd name\"(\"a b\", [c d], `e f`)"},
       "SELECT count(\"a b\") AS n FROM [ai_odd name]",
       R"({"rows":[{"n":0}]})"},
      {"Mathematics",
       {},
       "SELECT sqrt(16) AS a, pow(2, 10) AS b, round(pi(), 3) AS c, 7 % 3 AS d, ceil(1.2) AS e",
       R"({"rows":[{"a":4.0,"b":1024.0,"c":3.142,"d":1,"e":2.0}]})"},
      {"Strings",
       {},
       "SELECT upper('a') AS a, replace('a-b-c', '-', '+') AS b, instr('grün', 'n') AS c, trim('xxaxx', 'x') AS d, "
       "substr('hello', 2, 3) AS e, printf('%05.1f', 2.25) AS f, ltrim('  a') AS g, 'A' LIKE 'a' AS h, 'A' GLOB 'a' "
       "AS i, 'a%' LIKE 'a!%' ESCAPE '!' AS j",
       R"({"rows":[{"a":"A","b":"a+b+c","c":4,"d":"a","e":"ell","f":"002.3","g":"a","h":1,"i":0,"j":1}]})"},
      {"ForeignKeyCascade",
       {"CREATE TABLE ai_p(id INTEGER PRIMARY KEY)", "CREATE TABLE ai_c(p REFERENCES ai_p ON DELETE CASCADE)",
        "INSERT INTO ai_p VALUES (1),(2)", "INSERT INTO ai_c VALUES (1),(1),(2)", "DELETE FROM ai_p WHERE id = 1"},
       "SELECT count(*) AS n FROM ai_c",
       R"({"rows":[{"n":1}]})"},
      {"DropOfNothing", {}, "DROP TABLE IF EXISTS ai_t", R"({"success":true})"},
      {"CreateOfWhatIsThere", {"CREATE TABLE ai_t(a)"}, "CREATE TABLE IF NOT EXISTS ai_t(b)", R"({"success":true})"},
      {"Formats",
       {},
       "SELECT printf('%5d|%-5d|%05d|%+d|%,d', 42, 42, 42, 42, 1234567) AS i, printf('%x %X %o %u', 255, 255, 8, 3) AS "
       "h, "
       "printf('%8.3f|%e|%g', 3.14159, 1500.0, 0.5) AS r, printf('%s|%5s|%-5s|%.2s', 'a', 'b', 'c', 'defg') AS s, "
       "printf('%q|%Q|%w', 'it''s', 'it''s', 'a\"b') AS q, printf('%c%c|%3c|%.3c', 'xyz', 'é', 'a', 'b') AS c, "
       "printf('%*d|%.*f|100%%|%d|%s|%r', 4, 7, 2, 1.0, NULL, NULL, 3) AS m, printf('%y tail') AS u, printf(NULL) AS n",
       R"({"rows":[{"i":"   42|42   |00042|+42|1,234,567","h":"ff FF 10 3","r":"   3.142|1.500000e+03|0.5",)"
       R"("s":"a|    b|c    |de","q":"it''s|'it''s'|a\"\"b","c":"xé|  a|bbb","m":"   7|1.00|100%|0||3rd","u":null,"n":null}]})"},
      {"NothingChanged", kSales, "UPDATE ai_people SET name = 'x' WHERE id = 99", R"({"affectedRows":0})"},
  };
}

INSTANTIATE_TEST_SUITE_P(Sql, StatementTest, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace toolgate::executors::sql::engine
