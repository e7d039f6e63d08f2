#include "executors/artifacts/artifact_tools.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/tool_error.h"
#include "executors/artifacts/artifact_policy.h"
#include "executors/artifacts/settings.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::artifacts {
namespace {

class ArtifactToolsTest : public ::testing::Test {
 protected:
  ArtifactToolsTest() { EXPECT_TRUE(AddDefaults(families_, options_.settings).ok()); }
  ArtifactSettings& settings() { return *options_.settings.MutableExtension(ArtifactSettings::artifacts); }
  absl::Status Availability() const {
    const auto catalog = MakeCatalog(families_, options_);
    EXPECT_TRUE(catalog.ok()) << catalog.status();
    if (!catalog.ok()) return catalog.status();
    return (*catalog)->Find("generate_artifact")->handlers.available(Caller());
  }
  std::vector<std::string> Problems() const {
    std::vector<std::string> paths;
    CheckFamilies(families_, options_.settings,
                  [&](std::string_view path, std::string_view) { paths.emplace_back(path); });
    return paths;
  }

  const std::vector<Family> families_ = {ArtifactFamily()};
  CatalogOptions options_;
};

TEST_F(ArtifactToolsTest, IsAbsentWithoutAKey) {
  settings().mutable_provider()->set_api_key_env("TOOLGATE_NO_SUCH_KEY");
  const auto error = GetToolError(Availability());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kNotConfigured);
  EXPECT_THAT(error->message, ::testing::HasSubstr("TOOLGATE_NO_SUCH_KEY"));
}

TEST_F(ArtifactToolsTest, IsThereWithAModelThatNeedsNoKey) {
  settings().mutable_provider()->set_base_url("http://127.0.0.1:1/v1");
  settings().mutable_provider()->set_keyless(true);
  EXPECT_EQ(Availability(), absl::OkStatus());
}

TEST_F(ArtifactToolsTest, DefaultsAreFreeOfProblems) { EXPECT_TRUE(Problems().empty()); }

TEST_F(ArtifactToolsTest, NeedsAModelsName) {
  settings().mutable_provider()->set_model("");
  EXPECT_EQ(Problems(), std::vector<std::string>{"artifacts.provider.model"});
}

TEST_F(ArtifactToolsTest, WantsHostsAlone) {
  settings().add_script_hosts("https://cdn.example");
  settings().add_script_hosts("CDN.example");
  EXPECT_EQ(Problems(), (std::vector<std::string>{"artifacts.script_hosts", "artifacts.script_hosts"}));
}

TEST_F(ArtifactToolsTest, PolicyIsThatOfTheSettings) {
  const ArtifactPolicy policy = PolicyOf(settings());
  EXPECT_EQ(policy.max_fix_rounds, 2);
  EXPECT_EQ(policy.last_fix_start, absl::Seconds(35));
  EXPECT_EQ(policy.max_code_bytes, 262144u);
  EXPECT_EQ(policy.html.hosts, std::vector<std::string>{"cdnjs.cloudflare.com"});
  EXPECT_THAT(policy.react.modules, ::testing::Contains("react"));
}

}  // namespace
}  // namespace toolgate::executors::artifacts
