#include "security/identity/fetched_keys.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "common/json.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/token_forge.h"

namespace toolgate::security::identity {
namespace {

using testing::FakeClock;
using testing::SigningKey;

std::string SetWith(const std::string& key_id) {
  static const auto* const key = new SigningKey(SigningKey::Ec("P-256"));
  return DumpJson(Json{{"keys", {key->Jwk({{"kid", key_id}})}}});
}

class FetchedKeysTest : public ::testing::Test {
 protected:
  void SetUp() override { Make(); }
  void Make() {
    FetchedKeys::Options options;
    options.refresh_interval = absl::Seconds(100);
    options.refetch_interval = absl::Seconds(10);
    options.max_age = absl::Seconds(1000);
    options.wait = absl::Seconds(60);
    options.on_fetch = [this](const std::string& problem) { problems_ += problem.empty() ? 0 : 1; };
    keys_ = std::make_unique<FetchedKeys>(
        options,
        [this](const std::atomic<bool>&) -> absl::StatusOr<std::string> {
          ++fetches_;
          absl::MutexLock lock(&mutex_);
          return answer_;
        },
        clock_);
  }
  void Publish(absl::StatusOr<std::string> answer) {
    absl::MutexLock lock(&mutex_);
    answer_ = std::move(answer);
  }
  bool Knows(const std::string& key_id) {
    const auto keys = keys_->Keys();
    return keys.ok() && (*keys)->Knows(key_id);
  }

  FakeClock clock_;
  std::atomic<int> fetches_{0};
  std::atomic<int> problems_{0};
  absl::Mutex mutex_;
  absl::StatusOr<std::string> answer_ ABSL_GUARDED_BY(mutex_) = SetWith("a");
  std::unique_ptr<FetchedKeys> keys_;
};

TEST_F(FetchedKeysTest, FetchesOnFirstUseAndThenKeepsTheKeys) {
  EXPECT_TRUE(Knows("a"));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Knows("a"));
  EXPECT_EQ(fetches_, 1);
}

TEST_F(FetchedKeysTest, WhoIsRefusedIsToldWhenTheNextFetchMayBegin) {
  Publish(absl::UnavailableError("down"));
  ASSERT_FALSE(keys_->FetchNow().ok());
  const auto retry_after = [this] {
    const std::optional<ToolError> error = GetToolError(keys_->Keys().status());
    EXPECT_TRUE(error.has_value() && error->retryable);
    return error.has_value() ? error->retry_after : absl::ZeroDuration();
  };
  EXPECT_EQ(retry_after(), absl::Seconds(10));
  clock_.Advance(absl::Seconds(4));
  EXPECT_EQ(retry_after(), absl::Seconds(6));
  clock_.Advance(absl::Milliseconds(5900));
  EXPECT_EQ(retry_after(), absl::Seconds(1)) << "never sooner";
}

TEST_F(FetchedKeysTest, RefreshesInTheBackgroundBeforeTheKeysAreOld) {
  ASSERT_TRUE(Knows("a"));
  Publish(SetWith("b"));
  clock_.Advance(absl::Seconds(79));
  EXPECT_TRUE(Knows("a"));
  EXPECT_EQ(fetches_, 1);
  clock_.Advance(absl::Seconds(2));
  EXPECT_TRUE(keys_->Keys().ok());
  keys_->WaitUntilIdle();
  EXPECT_EQ(fetches_, 2);
  EXPECT_TRUE(Knows("b"));
  EXPECT_FALSE(Knows("a"));
}

TEST_F(FetchedKeysTest, WaitsForFreshKeysAfterAPause) {
  ASSERT_TRUE(Knows("a"));
  Publish(SetWith("b"));
  clock_.Advance(absl::Seconds(500));
  EXPECT_TRUE(Knows("b"));
}

TEST_F(FetchedKeysTest, AnUnknownKeyIsLookedForButNotTooOften) {
  ASSERT_TRUE(Knows("a"));
  const SharedKeys first = *keys_->Keys();
  Publish(SetWith("b"));
  EXPECT_EQ(keys_->Newer(first), first) << "the first fetch was just now";
  EXPECT_EQ(fetches_, 1);
  clock_.Advance(absl::Seconds(10));
  const SharedKeys second = keys_->Newer(first);
  EXPECT_TRUE(second->Knows("b"));
  EXPECT_EQ(fetches_, 2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(keys_->Newer(second), second);
  EXPECT_EQ(fetches_, 2);
  EXPECT_EQ(keys_->Newer(first), second) << "no fetch for what has been fetched";
}

TEST_F(FetchedKeysTest, KeepsTheLastGoodKeysUntilTheyAreTooOld) {
  ASSERT_TRUE(Knows("a"));
  for (const absl::StatusOr<std::string>& answer :
       {absl::StatusOr<std::string>(absl::UnavailableError("down")), absl::StatusOr<std::string>("<html>"),
        absl::StatusOr<std::string>(R"({"keys":[]})"), absl::StatusOr<std::string>(R"({"keys":[{"kty":"oct"}]})")}) {
    Publish(answer);
    clock_.Advance(absl::Seconds(200));
    EXPECT_TRUE(Knows("a"));
  }
  EXPECT_EQ(problems_, 4);
  clock_.Advance(absl::Seconds(201));
  EXPECT_EQ(GetToolError(keys_->Keys().status()).value_or(ToolError()).code, ErrorCode::kOverloaded);
  Publish(SetWith("b"));
  clock_.Advance(absl::Seconds(10));
  EXPECT_TRUE(Knows("b")) << "and recovers";
}

TEST_F(FetchedKeysTest, AnIssuerThatIsDownIsNotAskedAllTheTime) {
  Publish(absl::UnavailableError("down"));
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(keys_->Keys().ok());
  EXPECT_EQ(fetches_, 1);
  clock_.Advance(absl::Seconds(10));
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(keys_->Keys().ok());
  EXPECT_EQ(fetches_, 2);
}

TEST_F(FetchedKeysTest, TheStartIsToldWhatIsWrong) {
  Publish("{");
  EXPECT_EQ(keys_->FetchNow().code(), absl::StatusCode::kInvalidArgument);
  Publish(SetWith("a"));
  EXPECT_TRUE(keys_->FetchNow().ok());
  EXPECT_TRUE(Knows("a"));
  EXPECT_EQ(fetches_, 2);
}

TEST_F(FetchedKeysTest, StopsARunningFetchInTheEnd) {
  absl::Notification begun;
  auto slow = std::make_unique<FetchedKeys>(
      FetchedKeys::Options{absl::Seconds(100), absl::Seconds(10), absl::Seconds(1000), absl::Milliseconds(1), nullptr},
      [&](const std::atomic<bool>& stop) -> absl::StatusOr<std::string> {
        begun.Notify();
        while (!stop) std::this_thread::yield();
        return absl::CancelledError("stopped");
      },
      clock_);
  EXPECT_FALSE(slow->Keys().ok()) << "waits no longer than it may";
  begun.WaitForNotification();
  slow.reset();
}

TEST_F(FetchedKeysTest, ManyThreadsShareOneFetch) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  ASSERT_TRUE(Knows("a"));
  clock_.Advance(absl::Seconds(90));
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { good += Knows("a"); });
  for (std::thread& thread : threads) thread.join();
  keys_->WaitUntilIdle();
  EXPECT_EQ(good, 8);
  EXPECT_EQ(fetches_, 2);
}

}  // namespace
}  // namespace toolgate::security::identity
