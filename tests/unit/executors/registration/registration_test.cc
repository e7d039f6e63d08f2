#include "executors/registration/registration.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::registration {
namespace {

TEST(BuiltInCatalogTest, HoldsTheMemoryTools) {
  const auto catalog = BuiltInCatalog();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  for (const char* id : {"save_memory", "update_db_schema"}) {
    ASSERT_NE((*catalog)->Find(id), nullptr) << id;
    EXPECT_TRUE((*catalog)->Find(id)->is_on != nullptr) << id;
  }
}

TEST(BuiltInCatalogTest, HoldsTheElevenWorkspaceTools) {
  const auto catalog = BuiltInCatalog();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  std::vector<std::string> ids;
  for (const Tool& tool : (*catalog)->tools()) {
    if (tool.definition.module == "workspace") ids.push_back(tool.definition.id);
  }
  EXPECT_THAT(ids, ::testing::ElementsAre("add_property", "create_block", "create_task", "delete_block", "get_block",
                                          "list_tasks", "query_database", "search_workspace", "trigger_automation",
                                          "update_block", "update_task_status"));
}

}  // namespace
}  // namespace toolgate::executors::registration
