#include "services/grpc/call_tracker.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::services::grpc {
namespace {

class FakeCall final : public TrackedCall {
 public:
  void Cancel() override { ++cancels; }
  std::atomic<int> cancels{0};
};

TEST(CallTrackerTest, CountsCallsBetweenAddAndRemove) {
  CallTracker tracker;
  std::vector<std::unique_ptr<FakeCall>> calls;
  for (int i = 0; i < 100; ++i) tracker.Add(*calls.emplace_back(std::make_unique<FakeCall>()));
  EXPECT_EQ(tracker.count(), 100);
  for (size_t i = 0; i < calls.size(); i += 2) tracker.Remove(*calls[i]);
  EXPECT_EQ(tracker.count(), 50);
  for (size_t i = 1; i < calls.size(); i += 2) tracker.Remove(*calls[i]);
  EXPECT_EQ(tracker.count(), 0);
}

TEST(CallTrackerTest, OpenEndedCallsAreCancelledFirst) {
  CallTracker tracker;
  FakeCall bounded;
  FakeCall open_ended;
  tracker.Add(bounded);
  tracker.Add(open_ended, CallTracker::Length::kOpenEnded);
  tracker.CancelOpenEnded();
  EXPECT_EQ(open_ended.cancels, 1);
  EXPECT_EQ(bounded.cancels, 0);
  tracker.CancelAll();
  EXPECT_EQ(bounded.cancels, 1);
  tracker.Remove(bounded);
  tracker.Remove(open_ended);
}

TEST(CallTrackerTest, ACallIsCancelledOnce) {
  CallTracker tracker;
  FakeCall call;
  tracker.Add(call, CallTracker::Length::kOpenEnded);
  tracker.CancelOpenEnded();
  tracker.CancelAll();
  tracker.CancelAll();
  EXPECT_EQ(call.cancels, 1);
  tracker.Remove(call);
}

TEST(CallTrackerTest, LateCallsAreCancelledOnArrival) {
  CallTracker tracker;
  tracker.CancelOpenEnded();
  FakeCall bounded;
  FakeCall open_ended;
  tracker.Add(bounded);
  tracker.Add(open_ended, CallTracker::Length::kOpenEnded);
  EXPECT_EQ(bounded.cancels, 0);
  EXPECT_EQ(open_ended.cancels, 1);
  tracker.CancelAll();
  FakeCall late;
  tracker.Add(late);
  EXPECT_EQ(late.cancels, 1);
  for (FakeCall* call : {&bounded, &open_ended, &late}) tracker.Remove(*call);
}

TEST(CallTrackerTest, RemovedCallsAreLeftAlone) {
  CallTracker tracker;
  FakeCall call;
  tracker.Add(call);
  tracker.Remove(call);
  tracker.CancelAll();
  EXPECT_EQ(call.cancels, 0);
}

TEST(CallTrackerTest, ThreadsComeAndGoWhileAllIsCancelled) {
  CallTracker tracker;
  std::vector<std::thread> threads;
  std::atomic<int> cancelled{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        auto call = std::make_unique<FakeCall>();
        tracker.Add(*call, i % 2 == 0 ? CallTracker::Length::kBounded : CallTracker::Length::kOpenEnded);
        tracker.Remove(*call);
        cancelled += call->cancels;
      }
    });
  }
  tracker.CancelOpenEnded();
  tracker.CancelAll();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tracker.count(), 0);
  EXPECT_LE(cancelled, 8000);
}

}  // namespace
}  // namespace toolgate::services::grpc
