#include "executors/providers/check_provider.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace toolgate::executors::providers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> ProblemsOf(const std::string& text) {
  ProviderSettings settings;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &settings));
  std::vector<std::string> problems;
  CheckProvider("search.provider", settings, [&problems](std::string_view path, std::string_view what) {
    problems.push_back(absl::StrCat(ToAbsl(path), ": ", ToAbsl(what)));
  });
  return problems;
}

TEST(CheckProviderTest, TakesWhatCanWork) {
  EXPECT_THAT(ProblemsOf(""), IsEmpty());
  EXPECT_THAT(ProblemsOf(R"pb(base_url: "https://api.z.ai/api/paas/v4"
                              api_key_env: "ZAI_API_KEY"
                              api_key_file: "/run/secrets/zai"
                              proxy: "http://user:word@proxy:3128"
                              ca_file: "/etc/ssl/own.pem")pb"),
              IsEmpty());
  EXPECT_THAT(ProblemsOf(R"pb(base_url: "http://localhost:11434" keyless: true)pb"), IsEmpty());
}

TEST(CheckProviderTest, NamesThePlaceAndWhatWouldBeRight) {
  EXPECT_THAT(ProblemsOf(R"pb(base_url: "api.example.com")pb"),
              ElementsAre("search.provider.base_url: URL must begin with http:// or https://; "
                          "\"https://api.example.com/v1\" would be right"));
}

TEST(CheckProviderTest, ReportsEachImpossibleValue) {
  EXPECT_THAT(ProblemsOf(R"pb(base_url: "https://key:word@example.com"
                              api_key_env: "sk-123"
                              api_key_file: "key.txt"
                              proxy: "proxy:3128"
                              ca_file: "ca.pem")pb"),
              ElementsAre(HasSubstr("base_url: URL must not have a user name"),
                          HasSubstr("api_key_env: must be the name of an environment variable"),
                          HasSubstr("api_key_file: must be an absolute path"), HasSubstr("proxy: must be a URL"),
                          HasSubstr("ca_file: must be an absolute path")));
  EXPECT_THAT(ProblemsOf(R"pb(base_url: "https://example.com/v1/")pb"), ElementsAre(HasSubstr("end with a slash")));
  EXPECT_THAT(ProblemsOf(R"pb(base_url: "https://example.com?a=b")pb"), ElementsAre(HasSubstr("no query")));
  EXPECT_THAT(ProblemsOf(R"pb(base_url: "https://example.com#a")pb"), ElementsAre(HasSubstr("no fragment")));
}

}  // namespace
}  // namespace toolgate::executors::providers
