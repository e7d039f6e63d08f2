#include "storage/postgres/write_queue.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "common/clock.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::storage::postgres {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

absl::Status Nothing(Session&, std::vector<PackedAuditEntry>&) { return absl::OkStatus(); }

class WriteQueueTest : public ::testing::Test {
 protected:
  WriteQueueTest()
      : timer_(Clock::Real()),
        queue_(3, timer_, [this](std::string_view id, WriteQueue::Jobs jobs) { return Run(id, jobs); }) {}

  // The first batch waits until `go_on_`.
  size_t Run(std::string_view, WriteQueue::Jobs jobs) {
    if (batches_++ == 0) {
      begun_.Notify();
      go_on_.WaitForNotification();
    }
    size_t run = 0;
    for (const auto& job : jobs) {
      if (job->Begin()) ++run;
      job->status = absl::OkStatus();
    }
    absl::MutexLock lock(&mutex_);
    sizes_.push_back(run);
    return jobs.size();
  }
  std::thread Caller(const fibers::Cancellation& call, absl::Status& status) {
    return std::thread([this, &call, &status] { status = queue_.Run("w", call, Nothing); });
  }
  void AwaitWaiting(int64_t count) {
    while (timer_.waiting() < count) std::this_thread::yield();
  }

  fibers::WaitTimer timer_;
  std::atomic<int> batches_{0};
  absl::Notification begun_;
  absl::Notification go_on_;
  absl::Mutex mutex_;
  std::vector<size_t> sizes_;
  WriteQueue queue_;
  fibers::Cancellation never_;
};

TEST_F(WriteQueueTest, CallersThatWaitShareABatch) {
  std::vector<absl::Status> statuses(6, absl::UnknownError("not run"));
  std::vector<std::thread> callers;
  callers.push_back(Caller(never_, statuses[0]));
  begun_.WaitForNotification();
  for (size_t i = 1; i < statuses.size(); ++i) callers.push_back(Caller(never_, statuses[i]));
  AwaitWaiting(5);
  go_on_.Notify();
  for (std::thread& caller : callers) caller.join();
  for (const absl::Status& status : statuses) EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(sizes_, UnorderedElementsAre(1, 3, 2));
}

TEST_F(WriteQueueTest, ACallerLeavesWhenItsCallEnds) {
  absl::Status first, second, third;
  fibers::Cancellation ends;
  std::thread leader = Caller(never_, first);
  begun_.WaitForNotification();
  std::thread leaves = Caller(ends, second);
  AwaitWaiting(1);
  std::thread stays = Caller(never_, third);
  AwaitWaiting(2);
  ends.Cancel();
  leaves.join();
  const auto error = GetToolError(second);
  ASSERT_TRUE(error.has_value()) << second;
  EXPECT_EQ(error->code, ErrorCode::kCancelled);
  go_on_.Notify();
  leader.join();
  stays.join();
  EXPECT_TRUE(third.ok());
  EXPECT_THAT(sizes_, ElementsAre(1, 1));
}

}  // namespace
}  // namespace toolgate::storage::postgres
