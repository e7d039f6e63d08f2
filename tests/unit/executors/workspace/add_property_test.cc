#include "executors/workspace/add_property.h"

#include <string>
#include <vector>

#include "executors/blocks/database_properties.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::workspace {
namespace {

using testing::FailsWith;
using testing::WorkspaceTest;

constexpr ErrorCode kInvalid = ErrorCode::kInvalidParams;

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
  // The rows that were kept can be read, changed and deleted.
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
