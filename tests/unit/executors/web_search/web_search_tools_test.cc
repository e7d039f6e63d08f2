#include "executors/web_search/web_search_tools.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::web_search {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WebSearchToolsTest : public ::testing::Test {
 protected:
  WebSearchToolsTest() {
    unsetenv("TOOLGATE_TEST_SEARCH_KEY");
    EXPECT_TRUE(AddDefaults({WebSearchFamily()}, options_.settings).ok());
    settings().mutable_provider()->set_api_key_env("TOOLGATE_TEST_SEARCH_KEY");
  }
  WebSearchSettings& settings() { return *options_.settings.MutableExtension(WebSearchSettings::web_search); }
  // Why the tool is not there for a caller; OK: it is.
  absl::Status Availability() const {
    const auto catalog = MakeCatalog({WebSearchFamily()}, options_);
    EXPECT_TRUE(catalog.ok()) << catalog.status();
    return (*catalog)->Find("browser.search")->handlers.available(Caller());
  }
  std::vector<std::string> Problems() const {
    std::vector<std::string> problems;
    CheckFamilies({WebSearchFamily()}, options_.settings, [&](std::string_view path, std::string_view problem) {
      problems.push_back(std::string(path) + ": " + std::string(problem));
    });
    return problems;
  }

  CatalogOptions options_;
};

TEST_F(WebSearchToolsTest, IsAbsentWithoutAKeyForTavily) {
  const auto error = GetToolError(Availability());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kNotConfigured);
  EXPECT_THAT(error->message, HasSubstr("web_search is not configured"));
  EXPECT_THAT(error->message, HasSubstr("TOOLGATE_TEST_SEARCH_KEY"));
  setenv("TOOLGATE_TEST_SEARCH_KEY", "tvly-test", 1);
  EXPECT_EQ(Availability(), absl::OkStatus());
}

TEST_F(WebSearchToolsTest, NeedsNoKeyForSearxng) {
  settings().set_engine(WebSearchSettings::SEARXNG);
  settings().mutable_provider()->set_base_url("http://localhost:8888");
  EXPECT_EQ(Availability(), absl::OkStatus());
  EXPECT_THAT(Problems(), ElementsAre());
}

TEST_F(WebSearchToolsTest, HasDefaultsThatCanWork) { EXPECT_THAT(Problems(), ElementsAre()); }

TEST_F(WebSearchToolsTest, ReportsSettingsThatCannotWork) {
  settings().set_engine(WebSearchSettings::SEARXNG);
  settings().mutable_rewrite_provider()->set_base_url("https://llm.example.com/v1");
  EXPECT_THAT(Problems(), ElementsAre("web_search.provider.base_url: is Tavily's; must be the address of your SearXNG "
                                      "when engine is SEARXNG",
                                      "web_search.rewrite_provider.model: is empty; must name the model that rewrites "
                                      "queries"));
}

TEST_F(WebSearchToolsTest, PassesItsSettingsOn) {
  settings().set_max_results(7);
  settings().set_max_snippet_bytes(200);
  settings().set_max_context_bytes(3000);
  const SourceLimits limits = LimitsOf(settings());
  EXPECT_EQ(limits.max_sources, 7u);
  EXPECT_EQ(limits.max_snippet_bytes, 200u);
  EXPECT_EQ(limits.max_context_bytes, 3000u);
}

TEST_F(WebSearchToolsTest, ShowsItsMetrics) {
  std::vector<std::string> names;
  options_.add_metric = [&](const observability::SampledMetric& metric) {
    names.push_back(metric.rows.name);
    EXPECT_EQ(metric.read().size(), metric.rows.rows.size());
  };
  ASSERT_TRUE(MakeCatalog({WebSearchFamily()}, options_).ok());
  EXPECT_THAT(names, ElementsAre("toolgate_web_search_searches_total", "toolgate_web_search_rewrites_total",
                                 "toolgate_web_search_sources_total"));
}

}  // namespace
}  // namespace toolgate::executors::web_search
