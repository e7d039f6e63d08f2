#include "coordination/leases/leases.h"

#include <memory>
#include <optional>
#include <utility>

#include "coordination/leases/local_leases.h"
#include "coordination/leases/store_leases.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"
#include "tests/support/unreliable_store.h"

namespace toolgate::coordination::leases {
namespace {

using testing::FakeClock;

const LeaseName kChat{"w", "chat ann c1"};

TEST(LocalLeasesTest, OneCallAtATimeHasALease) {
  LocalLeases leases;
  std::optional<Leases::Lease> lease = leases.TryTake(kChat).value();
  ASSERT_TRUE(lease.has_value());
  EXPECT_FALSE(leases.TryTake(kChat).value().has_value());
  EXPECT_TRUE(leases.TryTake({"w", "chat ann c2"}).value().has_value());
  EXPECT_TRUE(leases.TryTake({"v", "chat ann c1"}).value().has_value());
  lease.reset();
  EXPECT_TRUE(leases.TryTake(kChat).value().has_value());
}

// Two processes that share a store.
class StoreLeasesTest : public ::testing::Test {
 protected:
  std::unique_ptr<storage::Store> MakeStore() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    return testing::MakeTestStore(options);
  }

  testing::TempDir dir_;
  FakeClock clock_;
  const std::unique_ptr<storage::Store> embedded_ = MakeStore();
  testing::UnreliableStore store_{*embedded_};
  StoreLeases here_{store_, clock_, "here"};
  StoreLeases there_{store_, clock_, "there"};
};

TEST_F(StoreLeasesTest, OneProcessAtATimeHasALease) {
  std::optional<Leases::Lease> lease = here_.TryTake(kChat).value();
  ASSERT_TRUE(lease.has_value());
  EXPECT_FALSE(here_.TryTake(kChat).value().has_value());
  EXPECT_FALSE(there_.TryTake(kChat).value().has_value());
  EXPECT_TRUE(there_.TryTake({"v", "chat ann c1"}).value().has_value());
  lease.reset();
  EXPECT_TRUE(there_.TryTake(kChat).value().has_value());
}

TEST_F(StoreLeasesTest, ALeaseLapsesUnlessItIsRenewed) {
  const std::optional<Leases::Lease> lease = here_.TryTake(kChat).value();
  clock_.Advance(kLeaseTime - absl::Seconds(1));
  ASSERT_TRUE(here_.Renew().ok());
  clock_.Advance(kLeaseTime - absl::Seconds(1));
  EXPECT_FALSE(there_.TryTake(kChat).value().has_value());
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(there_.TryTake(kChat).value().has_value());
}

TEST_F(StoreLeasesTest, WhoLostALeaseLeavesThatOfTheNext) {
  std::optional<Leases::Lease> late = here_.TryTake(kChat).value();
  clock_.Advance(kLeaseTime);
  const std::optional<Leases::Lease> next = there_.TryTake(kChat).value();
  ASSERT_TRUE(next.has_value());
  EXPECT_TRUE(here_.Renew().ok());
  late.reset();
  EXPECT_FALSE(here_.TryTake(kChat).value().has_value());
}

TEST_F(StoreLeasesTest, AnEndedLeaseIsNotRenewed) {
  here_.TryTake(kChat).value().reset();
  ASSERT_TRUE(here_.Renew().ok());
  EXPECT_TRUE(there_.TryTake(kChat).value().has_value());
}

TEST_F(StoreLeasesTest, AFailingStoreGivesNoLeaseAndHoldsNone) {
  store_.refuse_commits = absl::UnavailableError("down");
  EXPECT_EQ(here_.TryTake(kChat).status().code(), absl::StatusCode::kUnavailable);
  store_.refuse_commits = absl::OkStatus();
  EXPECT_TRUE(here_.TryTake(kChat).value().has_value());
}

TEST_F(StoreLeasesTest, ALeaseWhoseEndIsNotStoredLapses) {
  std::optional<Leases::Lease> lease = here_.TryTake(kChat).value();
  store_.refuse_commits = absl::UnavailableError("down");
  lease.reset();
  EXPECT_FALSE(here_.Renew().ok() && here_.TryTake(kChat).ok());
  store_.refuse_commits = absl::OkStatus();
  EXPECT_FALSE(there_.TryTake(kChat).value().has_value());
  EXPECT_TRUE(here_.TryTake(kChat).value().has_value());
  clock_.Advance(kLeaseTime);
  EXPECT_TRUE(there_.TryTake(kChat).value().has_value());
}

TEST_F(StoreLeasesTest, ABodyThatRunsAgainTakesItOnce) {
  store_.retries = 2;
  const std::optional<Leases::Lease> lease = here_.TryTake(kChat).value();
  EXPECT_TRUE(lease.has_value());
  EXPECT_FALSE(there_.TryTake(kChat).value().has_value());
}

}  // namespace
}  // namespace toolgate::coordination::leases
