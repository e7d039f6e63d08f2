#include "cli/load/report/json_report.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/source_dir.h"
#include "tests/unit/cli/load/report/example_report.h"

namespace toolgate::cli::load::report {
namespace {

TEST(JsonReportTest, HasTheNumbersOfTheReport) {
  const Json json = JsonReport(ExampleReport());
  EXPECT_EQ(json["schema"], "toolgate.load/1");
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["summary"]["count"], 1010);
  EXPECT_EQ(json["summary"]["errors"], 10);
  EXPECT_NEAR(json["summary"]["latency"]["p99"].get<double>(), 0.99, 0.008);
  EXPECT_EQ(json["steps"][1]["outcomes"][0]["code"], "RATE_LIMITED");
  EXPECT_EQ(json["thresholds"][1]["passed"], false);
  EXPECT_EQ(json["timeline"].size(), 11u);
  EXPECT_EQ(json["timeline"][0]["warmUp"], true);
  EXPECT_EQ(json["targets"].size(), 2u);
}

// The schema of the documentation cannot rot.
TEST(JsonReportTest, EachFieldIsDocumented) {
  std::ifstream file(SourceDir() + "/docs/load.md");
  std::stringstream text;
  text << file.rdbuf();
  const Json json = JsonReport(ExampleReport());
  for (const auto& [key, value] : json.items()) {
    EXPECT_NE(text.str().find("`" + key + "`"), std::string::npos) << key;
  }
  for (const char* part : {"summary", "harness"}) {
    for (const auto& [key, value] : json[part].items()) {
      EXPECT_NE(text.str().find("`" + key + "`"), std::string::npos) << part << "." << key;
    }
  }
}

}  // namespace
}  // namespace toolgate::cli::load::report
