// query_database and add_property.
#include <string>
#include <vector>

#include "executors/blocks/database_properties.h"
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

constexpr ErrorCode kInvalid = ErrorCode::kInvalidParams;

INSTANTIATE_TEST_SUITE_P(
    Table, BadFilterTest,
    ::testing::ValuesIn(std::vector<BadFilter>{
        {"UnknownProperty", R"({"property": "Titel", "operator": "is_empty"})", "", kInvalid, "/filter/property",
         "it has Name, Pages"},
        {"NearProperty", R"({"property": "Pagse", "operator": "is_empty"})", "", kInvalid, "/filter/property",
         "did you mean \"Pages\""},
        {"NoOperator", R"({"property": "Name"})", "", ErrorCode::kMissingRequired, "/filter/operator", "operator"},
        {"NoProperty", R"({"operator": "is_empty"})", "", ErrorCode::kMissingRequired, "/filter/property", "property"},
        {"NoValue", R"({"property": "Name", "operator": "equals"})", "", ErrorCode::kMissingRequired, "/filter/value",
         "value"},
        {"UnknownOperator", R"({"property": "Name", "operator": "like", "value": "x"})", "", kInvalid,
         "/filter/operator", ""},
        {"UnknownMember", R"({"field": "Name"})", "", kInvalid, "/filter/field", ""},
        {"TextGreater", R"({"property": "Name", "operator": "greater_than", "value": "x"})", "", kInvalid,
         "/filter/operator", "does not fit"},
        {"NumberContains", R"({"property": "Pages", "operator": "contains", "value": 1})", "", kInvalid,
         "/filter/operator", "equals, not_equals, greater_than"},
        {"CheckboxEmpty", R"({"property": "Owned", "operator": "is_empty"})", "", kInvalid, "/filter/operator",
         "does not fit"},
        {"MultiSelectEquals", R"({"property": "Tags", "operator": "equals", "value": "new"})", "", kInvalid,
         "/filter/operator", "contains"},
        {"TextForNumber", R"({"property": "Pages", "operator": "equals", "value": "many"})", "", kInvalid,
         "/filter/value", "number"},
        {"NumberForText", R"({"property": "Name", "operator": "equals", "value": 5})", "", kInvalid, "/filter/value",
         "string"},
        {"UnknownOption", R"({"property": "Genre", "operator": "equals", "value": "Poem"})", "", kInvalid,
         "/filter/value", "Novel and Science"},
        {"BadDate", R"({"property": "Read on", "operator": "equals", "value": "whenever"})", "", kInvalid,
         "/filter/value", "date"},
        {"StringForCheckbox", R"({"property": "Owned", "operator": "equals", "value": "true"})", "", kInvalid,
         "/filter/value", "true or false"},
        {"DeepPlace", R"({"and": [{}, {"or": [{"property": "X", "operator": "is_empty"}]}]})", "", kInvalid,
         "/filter/and/1/or/0/property", "no property"},
        {"SortByUnknown", "", R"({"property": "X"})", kInvalid, "/sort/property", "no property"},
        {"SortByList", "", R"({"property": "Tags"})", kInvalid, "/sort/property", "lists"},
        {"SortWithoutProperty", "", R"({"direction": "asc"})", ErrorCode::kMissingRequired, "/sort/property",
         "property"},
    }),
    [](const auto& test) { return test.param.name; });

TEST_F(QueryDatabaseTest, RefusesWhatIsNoDatabase) {
  EXPECT_THAT(Call("query_database", {{"databaseId", ann_}}),
              FailsWith(kInvalid, "must name a database", "/databaseId"));
  EXPECT_THAT(Call("query_database", {{"databaseId", "nowhere"}}), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  EXPECT_THAT(Call("query_database", {{"databaseId", database_}, {"limit", 101}}), FailsWith(kInvalid, "", "/limit"));
}

class AddPropertyTest : public WorkspaceTest {
 protected:
  void SetUp() override { database_ = Create("database", "", R"({"title": "D"})"); }
  absl::StatusOr<Json> Add(const std::string& name, const std::string& type, const std::string& options = "") {
    Json arguments = {{"databaseId", database_}, {"name", name}, {"type", type}};
    if (!options.empty()) arguments["options"] = Parse(options);
    return Call("add_property", arguments);
  }
  std::string database_;
};

TEST_F(AddPropertyTest, TakesEachOfTheTenTypes) {
  for (const char* type : {"text", "number", "date", "checkbox", "url", "email", "phone"}) {
    const absl::StatusOr<Json> result = Add(std::string("My ") + type, type);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(*result, Json({{"propertyId", std::string("my_") + type}, {"success", true}}));
  }
  EXPECT_TRUE(Add("Choice", "select", R"({"options": ["a", "b"]})").ok());
  EXPECT_TRUE(Add("Choices", "multi_select", R"({"choices": [{"name": "a", "color": "red"}]})").ok());
  EXPECT_TRUE(Add("Other", "relation", R"({"databaseId": ")" + database_ + "\"}").ok());
  EXPECT_TRUE(Add("Share", "number", R"({"format": "percent"})").ok());
  const Json properties = harness_.Data(database_)["properties"];
  ASSERT_EQ(properties.size(), 11u);
  EXPECT_EQ(DumpJson(properties[7]),
            R"({"id":"choice","name":"Choice","type":"select","options":{"options":[{"name":"a"},{"name":"b"}]}})");
  EXPECT_EQ(DumpJson(properties[8]["options"]), R"({"options":[{"name":"a","color":"red"}]})");
}

TEST_F(AddPropertyTest, MakesIdsThatAreUnique) {
  EXPECT_EQ((*Add("A b", "text"))["propertyId"], "a_b");
  EXPECT_EQ((*Add("A-b", "text"))["propertyId"], "a_b_2");
  EXPECT_EQ((*Add("日付", "date"))["propertyId"], "property");
}

TEST_F(AddPropertyTest, RefusesWhatCannotBe) {
  ASSERT_TRUE(Add("Name", "text").ok());
  const std::string before = harness_.Snapshot();
  EXPECT_THAT(Add("name", "number"), FailsWith(ErrorCode::kConflict, "\"Name\" already", ""));
  EXPECT_THAT(Add("X", "money"), FailsWith(kInvalid, "", "/type"));
  EXPECT_THAT(Add("  ", "text"), FailsWith(kInvalid, "name", "/name"));
  EXPECT_THAT(Add("X", "select"), FailsWith(ErrorCode::kMissingRequired, "options", "/options/options"));
  EXPECT_THAT(Add("X", "select", R"({"options": []})"), FailsWith(kInvalid, "1 to 500", "/options/options"));
  EXPECT_THAT(Add("X", "select", R"({"options": "a"})"), FailsWith(kInvalid, "array", "/options/options"));
  EXPECT_THAT(Add("X", "select", R"({"options": ["a", "a"]})"), FailsWith(kInvalid, "twice", "/options/options/1"));
  EXPECT_THAT(Add("X", "multi_select", R"({"options": ["a", 5]})"),
              FailsWith(kInvalid, "1 to 100", "/options/options/1"));
  EXPECT_THAT(Add("X", "select", R"({"options": [")" + std::string(101, 'x') + "\"]}"),
              FailsWith(kInvalid, "1 to 100", "/options/options/0"));
  EXPECT_THAT(Add("X", "select", R"({"options": ["a"], "colour": 1})"),
              FailsWith(kInvalid, "no such option", "/options/colour"));
  EXPECT_THAT(Add("X", "number", R"({"format": "hex"})"), FailsWith(kInvalid, "percent", "/options/format"));
  EXPECT_THAT(Add("X", "text", R"({"format": "x"})"), FailsWith(kInvalid, "takes no options", "/options/format"));
  EXPECT_THAT(Add("X", "relation"), FailsWith(ErrorCode::kMissingRequired, "databaseId", "/options/databaseId"));
  EXPECT_THAT(Add("X", "relation", R"({"databaseId": "nowhere"})"), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  EXPECT_EQ(harness_.Snapshot(), before);
  const std::string page = Create("page", "", R"({"title": "P"})");
  EXPECT_THAT(Add("X", "relation", R"({"databaseId": ")" + page + "\"}"),
              FailsWith(kInvalid, "a page", "/options/databaseId"));
  EXPECT_THAT(Call("add_property", {{"databaseId", page}, {"name", "X"}, {"type", "text"}}),
              FailsWith(kInvalid, "must name a database", "/databaseId"));
}

TEST_F(AddPropertyTest, ADatabaseGrowsNoLargerThanABlockMayBe) {
  const Json options = [] {
    Json names = Json::array();
    for (int i = 0; i < 500; ++i) names.push_back(std::string(90, 'x') + std::to_string(i));
    return Json{{"options", names}};
  }();
  int added = 0;
  absl::Status refused;
  for (; refused.ok() && added < 100; ++added) {
    refused = Add("P" + std::to_string(added), "select", DumpJson(options)).status();
  }
  EXPECT_THAT(refused, FailsWith(kInvalid, "1 MiB", ""));
  // What was kept can be read, changed and deleted.
  EXPECT_TRUE(Call("query_database", {{"databaseId", database_}}).ok());
  EXPECT_TRUE(Call("update_block", {{"blockId", database_}, {"data", {{"title", "E"}}}}).ok());
  EXPECT_TRUE(Call("delete_block", {{"blockId", database_}}).ok());
}

TEST_F(AddPropertyTest, ARelationTakesOnlyRowsOfItsDatabase) {
  const std::string other = Create("database", "", R"({"title": "Other"})");
  const std::string row = Create("database_row", other, "{}");
  ASSERT_TRUE(Add("Link", "relation", R"({"databaseId": ")" + other + "\"}").ok());
  EXPECT_TRUE(Call("create_block",
                   {{"type", "database_row"}, {"parentId", database_}, {"data", {{"properties", {{"Link", row}}}}}})
                  .ok());
  for (const std::string& id : {other, database_, std::string("nowhere")}) {
    EXPECT_THAT(Call("create_block",
                     {{"type", "database_row"}, {"parentId", database_}, {"data", {{"properties", {{"Link", id}}}}}}),
                FailsWith(kInvalid, "rows of the related database", "/data/properties/Link"));
  }
}

TEST_F(AddPropertyTest, NamesDifferByMoreThanCaseInAnyAlphabet) {
  ASSERT_TRUE(Add("Größe", "text").ok());
  EXPECT_THAT(Add("GRÖSSE", "number"), FailsWith(ErrorCode::kConflict, "\"Größe\" already", ""));
  const std::string row = Create("database_row", database_, R"({"properties": {"GRÖSSE": "large"}})");
  EXPECT_EQ(harness_.Data(row)["properties"].size(), 1u);
  ASSERT_TRUE(Add("State", "select", R"({"options": ["Künftig"]})").ok());
  Do("update_block", {{"blockId", row}, {"data", Parse(R"({"properties": {"State": "KÜNFTIG"}})")}});
  EXPECT_EQ(harness_.Data(row)["properties"]["state"], "Künftig");
}

// Dropping a property leaves its values in the rows.
class DroppedPropertyTest : public AddPropertyTest {
 protected:
  void SetUp() override {
    database_ = Create("database", "", R"({"title": "Stock", "properties": [
        {"name": "Item", "type": "text"}, {"name": "Price", "type": "number"}]})");
    row_ = Create("database_row", database_, R"({"properties": {"Item": "Desk", "Price": 180}})");
    SetProperties(R"([{"name": "Item", "type": "text"}])");
  }
  void SetProperties(const std::string& list) {
    Do("update_block", {{"blockId", database_}, {"data", {{"properties", Parse(list)}}}});
  }
  // As get_block shows them.
  std::string Shown() { return DumpJson(Do("get_block", {{"blockId", row_}})["block"]["data"]["properties"]); }
  std::string row_;
};

TEST_F(DroppedPropertyTest, IsHidden) {
  EXPECT_EQ(Shown(), R"({"item":"Desk"})");
  EXPECT_EQ(DumpJson(Do("get_block", {{"blockId", database_}})["children"][0]["data"]),
            R"({"properties":{"item":"Desk"}})");
  EXPECT_EQ(Do("search_workspace", {{"query", "Desk"}})["results"][0]["content"], "item: Desk");
  const Json updated = Do("update_block", {{"blockId", row_}, {"data", Parse(R"({"properties": {"Item": "Chair"}})")}});
  EXPECT_EQ(DumpJson(updated["block"]["data"]), R"({"properties":{"item":"Chair"}})");
  EXPECT_EQ(DumpJson(updated["previousData"]), R"({"properties":{"item":"Desk"}})");
  EXPECT_EQ(harness_.Data(row_)["properties"]["price"], 180) << "kept for an undo";
  EXPECT_THAT(Call("update_block", {{"blockId", row_}, {"data", Parse(R"({"properties": {"Price": 5}})")}}),
              FailsWith(kInvalid, "no property", "/data/properties/Price"));
}

TEST_F(DroppedPropertyTest, OneOfItsNameIsAnother) {
  EXPECT_EQ((*Add("Price", "text"))["propertyId"], "price_2");
  EXPECT_EQ(Shown(), R"({"item":"Desk"})");
  Do("update_block", {{"blockId", row_}, {"data", Parse(R"({"properties": {"Price": "cheap"}})")}});
  EXPECT_EQ(Shown(), R"({"item":"Desk","price_2":"cheap"})");
  // Neither does a list that is given without ids bring it back.
  SetProperties(R"([{"name": "Item", "type": "text"}])");
  SetProperties(R"([{"name": "Item", "type": "text"}, {"name": "Price", "type": "number"}])");
  EXPECT_EQ(harness_.Data(database_)["properties"][1]["id"], "price_3");
  EXPECT_EQ(Shown(), R"({"item":"Desk"})");
}

TEST_F(DroppedPropertyTest, ComesBackByItsIdAlone) {
  EXPECT_THAT(
      Call("update_block", {{"blockId", database_},
                            {"data", Parse(R"({"properties": [{"id": "price", "name": "Price", "type": "text"}]})")}}),
      FailsWith(kInvalid, "cannot change", "/data/properties/0/type"));
  SetProperties(R"([{"name": "Item", "type": "text"}, {"id": "price", "name": "Cost", "type": "number"}])");
  EXPECT_EQ(Shown(), R"({"item":"Desk","price":180})");
  EXPECT_FALSE(harness_.Data(database_).contains("formerProperties"));
}

TEST_F(DroppedPropertyTest, UndoBringsItBack) {
  const storage::Changes dropped = harness_.changes();
  Do("update_block", {{"blockId", row_}, {"data", Parse(R"({"properties": {"Item": "Chair"}})")}});
  EXPECT_EQ(harness_.Revert(dropped).status(), absl::OkStatus()) << "although the row has changed since";
  EXPECT_EQ(Shown(), R"({"item":"Chair","price":180})");
}

TEST_F(DroppedPropertyTest, OnesThatAreGivenWithoutIdsStayWhatTheyAre) {
  SetProperties(R"([{"name": "Weight", "type": "number"}, {"name": "ITEM", "type": "text"}])");
  EXPECT_EQ(Shown(), R"({"item":"Desk"})");
  // An id that is given goes before a name.
  SetProperties(R"([{"name": "Item", "type": "text"}, {"id": "item", "name": "Thing", "type": "text"}])");
  EXPECT_EQ(harness_.Data(database_)["properties"][0]["id"], "item_2");
  EXPECT_EQ(Shown(), R"({"item":"Desk"})");
}

TEST_F(AddPropertyTest, ADatabaseDropsNoMoreThanItCanRemember) {
  Json former = Json::array();
  for (size_t i = 0; i < blocks::kMaxFormerProperties; ++i) {
    former.push_back({{"id", "f" + std::to_string(i)}, {"type", "text"}});
  }
  database_ = Create("database", "", DumpJson({{"title", "D"}, {"formerProperties", former}}));
  ASSERT_TRUE(Add("Name", "text").ok());
  EXPECT_THAT(Call("update_block", {{"blockId", database_}, {"data", {{"properties", Json::array()}}}}),
              FailsWith(kInvalid, "can drop no more", "/data/properties"));
}

TEST_F(AddPropertyTest, UndoTakesItAway) {
  const std::string before = harness_.Snapshot();
  ASSERT_TRUE(Add("Name", "text").ok());
  EXPECT_EQ(harness_.description(), "Added property \"Name\" to database \"D\"");
  EXPECT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

}  // namespace
}  // namespace toolgate::executors::workspace
