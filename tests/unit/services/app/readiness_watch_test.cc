#include "services/app/readiness_watch.h"

#include <vector>

#include "absl/synchronization/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::app {
namespace {

using ::testing::ElementsAre;

// A store in the state that the test sets, and the reports about it.
class ReadinessWatchTest : public ::testing::Test {
 protected:
  ReadinessWatch::Check Check() {
    return [this] {
      absl::MutexLock lock(&mutex_);
      ++asked_;
      return store_;
    };
  }
  ReadinessWatch::Tell Tell() {
    return [this](const absl::Status& status) {
      absl::MutexLock lock(&mutex_);
      told_.push_back(status.code());
    };
  }
  void SetStore(const absl::Status& status) {
    absl::MutexLock lock(&mutex_);
    store_ = status;
  }
  // Returns after two more checks, so that the result of the first was reported.
  void AwaitQuestions() {
    absl::MutexLock lock(&mutex_);
    const int enough = asked_ + 2;
    const auto reached = [&] { return asked_ >= enough; };
    mutex_.Await(absl::Condition(&reached));
  }
  std::vector<absl::StatusCode> Told() {
    absl::MutexLock lock(&mutex_);
    return told_;
  }

  static constexpr absl::Duration kSoon = absl::Microseconds(100);
  absl::Mutex mutex_;
  absl::Status store_;
  int asked_ = 0;
  std::vector<absl::StatusCode> told_;
};

constexpr absl::StatusCode kOk = absl::StatusCode::kOk;
constexpr absl::StatusCode kBroken = absl::StatusCode::kUnavailable;

TEST_F(ReadinessWatchTest, HasToldOnceItIsThere) {
  const ReadinessWatch watch(Check(), Tell(), absl::InfiniteDuration());
  EXPECT_THAT(Told(), ElementsAre(kOk));
}

TEST_F(ReadinessWatchTest, TellsWhenTheStoreBreaksAndWhenItIsBack) {
  const ReadinessWatch watch(Check(), Tell(), kSoon);
  SetStore(absl::UnavailableError("the disk"));
  AwaitQuestions();
  AwaitQuestions();
  EXPECT_THAT(Told(), ElementsAre(kOk, kBroken)) << "once, however often it is asked";
  SetStore(absl::OkStatus());
  AwaitQuestions();
  EXPECT_THAT(Told(), ElementsAre(kOk, kBroken, kOk));
}

TEST_F(ReadinessWatchTest, AStoreThatWasBrokenAtTheStartBecomesReady) {
  SetStore(absl::UnavailableError("the disk"));
  const ReadinessWatch watch(Check(), Tell(), kSoon);
  SetStore(absl::OkStatus());
  AwaitQuestions();
  EXPECT_THAT(Told(), ElementsAre(kBroken, kOk));
}

}  // namespace
}  // namespace toolgate::services::app
