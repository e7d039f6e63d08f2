// Contract with clients of the calendar's tools: names, types, enums, bounds and required lists.
#include <memory>
#include <string>
#include <vector>

#include "executors/registration/registration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::calendar {
namespace {

class CalendarContractTest : public ::testing::Test {
 protected:
  // "name*:type", in order; "*" marks required ones.
  std::vector<std::string> Arguments(std::string_view id) {
    const Json& schema = catalog_->Find(id)->definition.argument_schema;
    const Json required = schema.value("required", Json::array());
    std::vector<std::string> arguments;
    for (const auto& [name, property] : schema["properties"].items()) {
      const bool needed = std::find(required.begin(), required.end(), name) != required.end();
      arguments.push_back(name + (needed ? "*:" : ":") + property.at("type").get<std::string>());
      EXPECT_FALSE(property.contains("default")) << id << "." << name << ": the contract gives none";
    }
    return arguments;
  }
  Json Enum(std::string_view id, const std::string& name) {
    return catalog_->Find(id)->definition.argument_schema["properties"][name]["enum"];
  }
  const ToolDefinition& Get(std::string_view id) { return catalog_->Find(id)->definition; }

  std::shared_ptr<const Catalog> catalog_ = *registration::BuiltInCatalog();
};

using Texts = std::vector<std::string>;

TEST_F(CalendarContractTest, ArgumentsAreThoseOfTheContract) {
  EXPECT_EQ(Arguments("calendar_list_events"),
            (Texts{"q:string", "type:string", "status:string", "dateFrom:string", "dateTo:string", "limit:number"}));
  // recurrence is not part of the contract.
  EXPECT_EQ(Arguments("calendar_create_event"),
            (Texts{"title*:string", "description:string", "date*:string", "time:string", "type:string", "status:string",
                   "recurrence:string"}));
  EXPECT_EQ(Arguments("calendar_update_event"),
            (Texts{"eventId*:string", "title:string", "description:string", "date:string", "time:string",
                   "status:string", "type:string", "scope:string", "revision:number"}));
  EXPECT_EQ(Arguments("calendar_delete_event"), (Texts{"eventId*:string", "scope:string"}));
}

TEST_F(CalendarContractTest, EnumsAreThoseOfTheContract) {
  for (const char* id : {"calendar_list_events", "calendar_create_event", "calendar_update_event"}) {
    EXPECT_EQ(Enum(id, "type"), Json({"event", "task"})) << id;
    EXPECT_EQ(Enum(id, "status"), Json({"pending", "done"})) << id;
  }
  for (const char* id : {"calendar_update_event", "calendar_delete_event"}) {
    EXPECT_EQ(Enum(id, "scope"), Json({"this", "all", "this_and_following"})) << id;
  }
}

TEST_F(CalendarContractTest, PermissionsConfirmationAndModule) {
  const std::vector<std::pair<std::string, Category>> kTools = {{"list_events", Category::kRead},
                                                                {"create_event", Category::kCreate},
                                                                {"update_event", Category::kUpdate},
                                                                {"delete_event", Category::kDelete}};
  for (const auto& [name, category] : kTools) {
    const ToolDefinition& definition = Get("calendar_" + name);
    const std::string action = name == "list_events" ? "read" : name.substr(0, name.find('_'));
    EXPECT_EQ(definition.module, "calendar") << name;
    EXPECT_EQ(definition.category, category) << name;
    EXPECT_EQ(definition.permissions, Texts{"calendar:" + action}) << name;
    EXPECT_EQ(definition.confirmation,
              category == Category::kDelete ? ConfirmationRule::kAlways : ConfirmationRule::kNever)
        << name;
    EXPECT_EQ(definition.annotations.read_only, category == Category::kRead) << name;
    EXPECT_TRUE(definition.annotations.reversible) << name;
    EXPECT_GE(definition.examples.size(), 2u) << name;
  }
}

}  // namespace
}  // namespace toolgate::executors::calendar
