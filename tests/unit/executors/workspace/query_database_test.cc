#include "executors/workspace/query_database.h"

#include <string>
#include <vector>

#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::workspace {
namespace {

using testing::FailsWith;
using testing::WorkspaceTest;
using Names = std::vector<std::string>;

class QueryDatabaseTest : public WorkspaceTest {
 protected:
  void SetUp() override {
    const std::string authors =
        Create("database", "", R"({"title": "Authors", "properties": [{"name": "Name", "type": "text"}]})");
    ann_ = Create("database_row", authors, R"({"properties": {"Name": "Ann"}})");
    database_ = Create("database", "",
                       R"({"title": "Books", "properties": [
        {"name": "Name", "type": "text"}, {"name": "Pages", "type": "number"},
        {"name": "Genre", "type": "select", "options": {"options": ["Novel", "Science"]}},
        {"name": "Tags", "type": "multi_select", "options": {"options": ["new", "long"]}},
        {"name": "Read on", "type": "date"}, {"name": "Owned", "type": "checkbox"}, {"name": "Site", "type": "url"},
        {"name": "Mail", "type": "email"}, {"name": "Phone", "type": "phone"},
        {"name": "Author", "type": "relation", "options": {"databaseId": ")" +
                           authors + R"("}}]})");
    Row(R"({"Name": "Dune", "Pages": 412, "Genre": "novel", "Tags": ["long", "new", "long"], "Read on": "2026-03-02",
            "Owned": true, "Site": "https://example.org/dune", "Mail": "dune@example.org", "Phone": "+49 30 123",
            "Author": ")" +
        ann_ + "\"}");
    Row(R"({"Name": "Emma", "Pages": 95.5, "Genre": "Novel", "Tags": [], "Read on": "2026-03-02T23:30:00Z", "Owned": false})");
    Row(R"({"Name": "Cosmos", "Pages": 365, "Genre": "Science", "Tags": "new", "Read on": "2026-03-03"})");
    Row(R"({"Name": "Blank"})");
  }
  void Row(const std::string& values) { Create("database_row", database_, R"({"properties": )" + values + "}"); }

  Json Arguments(const std::string& filter, const std::string& sort = "") const {
    Json arguments = {{"databaseId", database_}};
    if (!filter.empty()) arguments["filter"] = Parse(filter);
    if (!sort.empty()) arguments["sort"] = Parse(sort);
    return arguments;
  }
  Names Query(const std::string& filter, const std::string& sort = "") {
    Names names;
    const Json result = Do("query_database", Arguments(filter, sort));
    for (const Json& row : result["rows"]) names.push_back(row["properties"]["Name"]);
    return names;
  }
  std::string ann_, database_;
};

TEST_F(QueryDatabaseTest, AnswersRowsByPropertyNameInOrder) {
  const Json result = Do("query_database", Arguments(""));
  ASSERT_EQ(result["rows"].size(), 4u);
  EXPECT_EQ(result["totalCount"], 4);
  EXPECT_EQ(result["hasMore"], false);
  EXPECT_EQ(DumpJson(result["rows"][0]["properties"]),
            R"({"Name":"Dune","Pages":412,"Genre":"Novel","Tags":["long","new"],"Read on":"2026-03-02","Owned":true,)"
            R"("Site":"https://example.org/dune","Mail":"dune@example.org","Phone":"+49 30 123","Author":[")" +
                ann_ + "\"]}");
  EXPECT_TRUE(result["rows"][3]["properties"]["Pages"].is_null());
}

struct FilterRow {
  std::string name;
  std::string filter;
  Names expected;
};

class FilterTest : public QueryDatabaseTest, public ::testing::WithParamInterface<FilterRow> {};

TEST_P(FilterTest, FindsTheRows) { EXPECT_EQ(Query(GetParam().filter), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    Table, FilterTest,
    ::testing::ValuesIn(std::vector<FilterRow>{
        {"Empty", "{}", {"Dune", "Emma", "Cosmos", "Blank"}},
        {"TextEquals", R"({"property": "Name", "operator": "equals", "value": "Dune"})", {"Dune"}},
        {"ByPropertyId", R"({"property": "name", "operator": "equals", "value": "Dune"})", {"Dune"}},
        {"TextEqualsKeepsCase", R"({"property": "Name", "operator": "equals", "value": "dune"})", {}},
        {"TextContainsIgnoresCase",
         R"({"property": "Name", "operator": "contains", "value": "M"})",
         {"Emma", "Cosmos"}},
        {"TextNotEquals",
         R"({"property": "Name", "operator": "not_equals", "value": "Dune"})",
         {"Emma", "Cosmos", "Blank"}},
        {"NumberEquals", R"({"property": "Pages", "operator": "equals", "value": 412.0})", {"Dune"}},
        {"NumberGreater", R"({"property": "Pages", "operator": "greater_than", "value": 365})", {"Dune"}},
        {"NumberLess", R"({"property": "Pages", "operator": "less_than", "value": 365})", {"Emma"}},
        {"NumberEmpty", R"({"property": "Pages", "operator": "is_empty"})", {"Blank"}},
        {"SelectEqualsIgnoresCase",
         R"({"property": "Genre", "operator": "equals", "value": "novel"})",
         {"Dune", "Emma"}},
        {"SelectNotEquals",
         R"({"property": "Genre", "operator": "not_equals", "value": "Novel"})",
         {"Cosmos", "Blank"}},
        {"MultiSelectContains", R"({"property": "Tags", "operator": "contains", "value": "new"})", {"Dune", "Cosmos"}},
        {"MultiSelectEmpty", R"({"property": "Tags", "operator": "is_empty"})", {"Emma", "Blank"}},
        {"DateEqualsHoldsTimesOfTheDay",
         R"({"property": "Read on", "operator": "equals", "value": "today"})",
         {"Dune", "Emma"}},
        {"DateGreater", R"({"property": "Read on", "operator": "greater_than", "value": "2026-03-02"})", {"Cosmos"}},
        {"DateLess", R"({"property": "Read on", "operator": "less_than", "value": "2026-03-03"})", {"Dune", "Emma"}},
        {"DateLessThanATime",
         R"({"property": "Read on", "operator": "less_than", "value": "2026-03-02T23:30:00Z"})",
         {"Dune"}},
        {"DateNotEquals",
         R"({"property": "Read on", "operator": "not_equals", "value": "2026-03-02"})",
         {"Cosmos", "Blank"}},
        {"DateNotEmpty", R"({"property": "Read on", "operator": "is_not_empty"})", {"Dune", "Emma", "Cosmos"}},
        {"CheckboxTicked", R"({"property": "Owned", "operator": "equals", "value": true})", {"Dune"}},
        {"CheckboxNeverTickedIsFalse",
         R"({"property": "Owned", "operator": "equals", "value": false})",
         {"Emma", "Cosmos", "Blank"}},
        {"CheckboxNotTrue",
         R"({"property": "Owned", "operator": "not_equals", "value": true})",
         {"Emma", "Cosmos", "Blank"}},
        {"UrlContains", R"({"property": "Site", "operator": "contains", "value": "example"})", {"Dune"}},
        {"MailEquals", R"({"property": "Mail", "operator": "equals", "value": "dune@example.org"})", {"Dune"}},
        {"RelationEmpty", R"({"property": "Author", "operator": "is_not_empty"})", {"Dune"}},
        {"And",
         R"({"and": [{"property": "Genre", "operator": "equals", "value": "Novel"},
                            {"property": "Owned", "operator": "equals", "value": true}]})",
         {"Dune"}},
        {"Or",
         R"({"or": [{"property": "Name", "operator": "equals", "value": "Blank"},
                          {"property": "Pages", "operator": "less_than", "value": 100}]})",
         {"Emma", "Blank"}},
        {"NestedWithProperty",
         R"({"property": "Genre", "operator": "is_not_empty",
            "or": [{"and": [{"property": "Name", "operator": "contains", "value": "d"}]},
                   {"property": "Name", "operator": "contains", "value": "c"}]})",
         {"Dune", "Cosmos"}},
        {"EmptyOr", R"({"or": []})", {}},
    }),
    [](const auto& test) { return test.param.name; });

TEST_F(QueryDatabaseTest, SortsWithMissingValuesLast) {
  EXPECT_EQ(Query("", R"({"property": "Pages"})"), (Names{"Emma", "Cosmos", "Dune", "Blank"}));
  EXPECT_EQ(Query("", R"({"property": "Pages", "direction": "desc"})"), (Names{"Dune", "Cosmos", "Emma", "Blank"}));
  EXPECT_EQ(Query("", R"({"property": "Read on", "direction": "desc"})"), (Names{"Cosmos", "Emma", "Dune", "Blank"}));
}

TEST_F(QueryDatabaseTest, FindsRowsByARelation) {
  EXPECT_EQ(Query(R"({"property": "Author", "operator": "contains", "value": ")" + ann_ + "\"}"), Names{"Dune"});
}

TEST_F(QueryDatabaseTest, SaysWhenThereIsMore) {
  Json arguments = Arguments("");
  arguments["limit"] = 3;
  const Json result = Do("query_database", arguments);
  EXPECT_EQ(result["rows"].size(), 3u);
  EXPECT_EQ(result["totalCount"], 4);
  EXPECT_EQ(result["hasMore"], true);
}

TEST_F(QueryDatabaseTest, ComparesDatesInTheCallersZone) {
  harness_.caller().time_zone = "Europe/Berlin";  // 23:30 UTC is half past midnight there.
  EXPECT_EQ(Query(R"({"property": "Read on", "operator": "equals", "value": "2026-03-02"})"), Names{"Dune"});
  EXPECT_EQ(Query(R"({"property": "Read on", "operator": "greater_than", "value": "2026-03-02"})"),
            (Names{"Emma", "Cosmos"}));
}

struct BadFilter {
  std::string name;
  std::string filter;
  std::string sort;
  ErrorCode code;
  std::string path;
  std::string problem;
};

class BadFilterTest : public QueryDatabaseTest, public ::testing::WithParamInterface<BadFilter> {};

TEST_P(BadFilterTest, IsRefused) {
  EXPECT_THAT(Call("query_database", Arguments(GetParam().filter, GetParam().sort)),
              FailsWith(GetParam().code, GetParam().problem, GetParam().path));
}

constexpr ErrorCode kInvalidQuery = ErrorCode::kInvalidParams;

INSTANTIATE_TEST_SUITE_P(
    Table, BadFilterTest,
    ::testing::ValuesIn(std::vector<BadFilter>{
        {"UnknownProperty", R"({"property": "Titel", "operator": "is_empty"})", "", kInvalidQuery, "/filter/property",
         "it has Name, Pages"},
        {"NearProperty", R"({"property": "Pagse", "operator": "is_empty"})", "", kInvalidQuery, "/filter/property",
         "did you mean \"Pages\""},
        {"NoOperator", R"({"property": "Name"})", "", ErrorCode::kMissingRequired, "/filter/operator", "operator"},
        {"NoProperty", R"({"operator": "is_empty"})", "", ErrorCode::kMissingRequired, "/filter/property", "property"},
        {"NoValue", R"({"property": "Name", "operator": "equals"})", "", ErrorCode::kMissingRequired, "/filter/value",
         "value"},
        {"UnknownOperator", R"({"property": "Name", "operator": "like", "value": "x"})", "", kInvalidQuery,
         "/filter/operator", ""},
        {"UnknownMember", R"({"field": "Name"})", "", kInvalidQuery, "/filter/field", ""},
        {"TextGreater", R"({"property": "Name", "operator": "greater_than", "value": "x"})", "", kInvalidQuery,
         "/filter/operator", "does not fit"},
        {"NumberContains", R"({"property": "Pages", "operator": "contains", "value": 1})", "", kInvalidQuery,
         "/filter/operator", "equals, not_equals, greater_than"},
        {"CheckboxEmpty", R"({"property": "Owned", "operator": "is_empty"})", "", kInvalidQuery, "/filter/operator",
         "does not fit"},
        {"MultiSelectEquals", R"({"property": "Tags", "operator": "equals", "value": "new"})", "", kInvalidQuery,
         "/filter/operator", "contains"},
        {"TextForNumber", R"({"property": "Pages", "operator": "equals", "value": "many"})", "", kInvalidQuery,
         "/filter/value", "number"},
        {"NumberForText", R"({"property": "Name", "operator": "equals", "value": 5})", "", kInvalidQuery,
         "/filter/value", "string"},
        {"UnknownOption", R"({"property": "Genre", "operator": "equals", "value": "Poem"})", "", kInvalidQuery,
         "/filter/value", "Novel and Science"},
        {"BadDate", R"({"property": "Read on", "operator": "equals", "value": "whenever"})", "", kInvalidQuery,
         "/filter/value", "date"},
        {"StringForCheckbox", R"({"property": "Owned", "operator": "equals", "value": "true"})", "", kInvalidQuery,
         "/filter/value", "true or false"},
        {"DeepPlace", R"({"and": [{}, {"or": [{"property": "X", "operator": "is_empty"}]}]})", "", kInvalidQuery,
         "/filter/and/1/or/0/property", "no property"},
        {"SortByUnknown", "", R"({"property": "X"})", kInvalidQuery, "/sort/property", "no property"},
        {"SortByList", "", R"({"property": "Tags"})", kInvalidQuery, "/sort/property", "lists"},
        {"SortWithoutProperty", "", R"({"direction": "asc"})", ErrorCode::kMissingRequired, "/sort/property",
         "property"},
    }),
    [](const auto& test) { return test.param.name; });

TEST_F(QueryDatabaseTest, RefusesWhatIsNoDatabase) {
  EXPECT_THAT(Call("query_database", {{"databaseId", ann_}}),
              FailsWith(kInvalidQuery, "must name a database", "/databaseId"));
  EXPECT_THAT(Call("query_database", {{"databaseId", "nowhere"}}), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  EXPECT_THAT(Call("query_database", {{"databaseId", database_}, {"limit", 101}}),
              FailsWith(kInvalidQuery, "", "/limit"));
}

}  // namespace
}  // namespace toolgate::executors::workspace
