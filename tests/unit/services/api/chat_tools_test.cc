#include "services/api/chat_tools.h"

#include <string>
#include <string_view>
#include <vector>

#include "executors/registration/registration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Tools of this program that a chat with the mode hint offers.
std::vector<std::string> Offered(std::string_view mode_hint) {
  std::vector<std::string> ids;
  const auto catalog = executors::registration::BuiltInCatalog().value();
  for (const executors::Tool& tool : catalog->tools()) {
    if (FitsMode(mode_hint, tool.definition)) ids.push_back(tool.definition.id);
  }
  return ids;
}

TEST(ChatToolsTest, AModeOffersTheToolsWhoseDefinitionsNameIt) {
  EXPECT_THAT(Offered("artifact"), ElementsAre("generate_artifact"));
  EXPECT_THAT(Offered("image"), ElementsAre("generate_image"));
  EXPECT_THAT(Offered("search"), ElementsAre("browser.search"));
  EXPECT_THAT(Offered("chat"), IsEmpty());
}

TEST(ChatToolsTest, NoModeAndAutoOfferAll) {
  const size_t all = executors::registration::BuiltInCatalog().value()->tools().size();
  EXPECT_EQ(Offered("").size(), all);
  EXPECT_EQ(Offered("auto").size(), all);
}

}  // namespace
}  // namespace toolgate::services::api
