#include "cli/load/server_metrics/fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "observability/metrics.h"
#include "observability/metrics_server.h"

namespace toolgate::cli::load::server_metrics {
namespace {

using ::testing::HasSubstr;

TEST(MetricsUrlTest, CompletesAnAddress) {
  EXPECT_EQ(*MetricsUrl("127.0.0.1:9464"), "http://127.0.0.1:9464/metrics");
  EXPECT_EQ(*MetricsUrl("[::1]:9464"), "http://[::1]:9464/metrics");
  EXPECT_EQ(*MetricsUrl("https://a.example"), "https://a.example/metrics");
  EXPECT_EQ(*MetricsUrl("http://a.example/other"), "http://a.example/other");
  for (const char* text : {"", "file:///etc/passwd", "http://", "http://user:secret@a.example", "gopher://a"}) {
    const auto url = MetricsUrl(text);
    EXPECT_FALSE(url.ok()) << text;
    EXPECT_THAT(std::string(url.status().message()), ::testing::Not(HasSubstr("secret")));
  }
}

TEST(FetchTest, ReadsARealListener) {
  observability::MetricsOptions options;
  options.tools = {"get_block"};
  const observability::Metrics metrics(options);
  const auto server = observability::MetricsServer::Start("127.0.0.1:0", metrics.collectable());
  ASSERT_TRUE(server.ok()) << server.status();
  const auto text = Fetch(*MetricsUrl((*server)->address()), absl::Seconds(30));
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("toolgate_build_info"));
  const auto missing = Fetch("http://" + (*server)->address() + "/other", absl::Seconds(30));
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("instead of 200"));
}

TEST(FetchTest, NamesAnAddressWhereNothingListens) {
  // Port 1 is reserved and unused.
  const auto text = Fetch("http://127.0.0.1:1/metrics", absl::Seconds(30));
  EXPECT_EQ(text.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(text.status().message()), HasSubstr("http://127.0.0.1:1/metrics"));
}

}  // namespace
}  // namespace toolgate::cli::load::server_metrics
