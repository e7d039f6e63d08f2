#include "common/http/client_pool.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::http {
namespace {

using ::testing::SizeIs;

class IdleClient final : public Client {
 public:
  std::unique_ptr<Exchange> Start(Request /*request*/) override { return nullptr; }
};

class ClientPoolTest : public ::testing::Test {
 protected:
  absl::Status failure_;
  std::vector<ClientOptions> made_;
  ClientPool pool_{[this](const ClientOptions& options) -> absl::StatusOr<std::shared_ptr<Client>> {
    if (!failure_.ok()) return failure_;
    made_.push_back(options);
    return std::make_shared<IdleClient>();
  }};
};

TEST_F(ClientPoolTest, SharesOneClientAmongEqualRoutes) {
  Client* const first = pool_.ClientFor({}).value();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(pool_.ClientFor({}).value(), first);
  EXPECT_THAT(made_, SizeIs(1));
}

TEST_F(ClientPoolTest, HasAClientForEachProxyAndAuthority) {
  Client* const direct = pool_.ClientFor({}).value();
  Client* const proxied = pool_.ClientFor({.proxy = "http://proxy:3128"}).value();
  Client* const trusting = pool_.ClientFor({.ca_file = "/etc/ca.pem"}).value();
  EXPECT_NE(direct, proxied);
  EXPECT_NE(direct, trusting);
  EXPECT_NE(proxied, trusting);
  ASSERT_THAT(made_, SizeIs(3));
  EXPECT_EQ(made_[1].proxy, "http://proxy:3128");
  EXPECT_EQ(made_[2].ca_file, "/etc/ca.pem");
}

TEST_F(ClientPoolTest, TriesAgainAfterAFailure) {
  failure_ = absl::UnavailableError("no libcurl");
  EXPECT_EQ(pool_.ClientFor({}).status(), failure_);
  failure_ = absl::OkStatus();
  EXPECT_TRUE(pool_.ClientFor({}).ok());
}

TEST_F(ClientPoolTest, LeavesPlacesForOtherHosts) {
  ASSERT_TRUE(pool_.ClientFor({}).ok());
  EXPECT_EQ(made_[0].max_connections_per_host, 1024);
  EXPECT_GE(made_[0].max_connections, 4 * made_[0].max_connections_per_host);
}

}  // namespace
}  // namespace toolgate::http
