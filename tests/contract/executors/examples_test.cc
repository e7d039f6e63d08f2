// Every example of every built-in definition, each run in a new workspace.
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "executors/registration/registration.h"
#include "gtest/gtest.h"
#include "tests/support/example_runner.h"
#include "tests/support/scripted_providers.h"
#include "tests/support/tool_harness.h"

namespace toolgate::executors {
namespace {

struct ExampleCase {
  std::string tool_id;
  size_t index = 0;
};

std::vector<ExampleCase> AllExamples() {
  std::vector<ExampleCase> cases;
  const auto catalog = registration::BuiltInCatalog();
  if (!catalog.ok()) return {{catalog.status().ToString(), 0}};
  for (const Tool& tool : (*catalog)->tools()) {
    for (size_t i = 0; i < tool.definition.examples.size(); ++i) cases.push_back({tool.definition.id, i});
  }
  return cases;
}

class ExamplesTest : public ::testing::TestWithParam<ExampleCase> {
 protected:
  static void SetUpTestSuite() {
    providers_ = new testing::ScriptedProviders;
    CatalogOptions options;
    providers_->Configure(options);
    harness_ = new testing::ToolHarness(options);
  }
  static void TearDownTestSuite() {
    delete harness_;
    harness_ = nullptr;
    delete providers_;
    providers_ = nullptr;
  }
  static testing::ScriptedProviders* providers_;
  static testing::ToolHarness* harness_;
};

testing::ScriptedProviders* ExamplesTest::providers_ = nullptr;
testing::ToolHarness* ExamplesTest::harness_ = nullptr;

TEST_P(ExamplesTest, GivesTheStatedResult) {
  const Tool* tool = harness_->catalog().Find(GetParam().tool_id);
  ASSERT_NE(tool, nullptr) << GetParam().tool_id;
  harness_->caller().workspace_id = absl::StrCat(GetParam().tool_id, "-", GetParam().index);
  // A machine without a sandbox has no Bash.
  if (tool->handlers.available != nullptr) {
    const absl::Status available = tool->handlers.available(harness_->caller());
    if (!available.ok()) GTEST_SKIP() << available;
  }
  const auto call = [&](std::string_view id, const Json& arguments) { return harness_->Call(id, arguments); };
  EXPECT_EQ(testing::RunExample(tool->definition.id, tool->definition.examples[GetParam().index], call),
            absl::OkStatus());
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, ExamplesTest, ::testing::ValuesIn(AllExamples()), [](const auto& test) {
  std::string name = absl::StrCat(test.param.tool_id, "_", test.param.index);
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
  }
  return name;
});

}  // namespace
}  // namespace toolgate::executors
