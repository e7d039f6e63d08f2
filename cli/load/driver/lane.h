// One thread's part of a load test.
#ifndef TOOLGATE_CLI_LOAD_DRIVER_LANE_H_
#define TOOLGATE_CLI_LOAD_DRIVER_LANE_H_

#include <grpcpp/completion_queue.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "cli/load/driver/call.h"
#include "cli/load/driver/shared_state.h"
#include "cli/load/schedule/random.h"
#include "cli/load/stats/tally.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::cli::load::driver {

// Has connections, a completion queue and counts of its own, so that lanes share little. A pacer thread starts calls
// that are due at a time; a completion thread takes answers and, in the closed loop, starts the next call.
class Lane {
 public:
  // Lane `index` of `shared.plan.threads`. Borrows `shared`.
  Lane(SharedState& shared, int index);
  // Start must have been followed by Join, if it was called.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Waits until all connections stand, or until `deadline`. Returns the first target that cannot be reached.
  std::optional<std::string> Connect(std::chrono::system_clock::time_point deadline);

  void Start();
  // True when no call runs and none will start.
  bool done() const;
  // Cancels the calls that run. No call must start any more.
  void CancelAll();
  // Ends both threads. Waits until `done`.
  void Join();

  // Counts since the last call of this function.
  stats::Interval TakeInterval();
  // Counts of the run so far.
  stats::Tally tally() const;

 private:
  struct Connection {
    std::unique_ptr<v1::ToolService::Stub> calls;
    std::unique_ptr<v1::ToolService::Stub> decisions;  // The person's own connection.
    std::vector<std::shared_ptr<grpc::Channel>> channels;
  };

  void PaceSchedule();
  void PaceThinkTimes();
  void Complete();

  // Starts the next call. `due` is its intended start; nothing: now. Returns false if no call was started although the
  // run goes on: all kinds lacked ids.
  bool StartCall(std::optional<int64_t> due);
  // Makes the request. Returns false if no kind has the ids that it needs.
  bool Prepare(Call& call, schedule::Random& random);
  size_t PickTarget(int64_t number) const;
  void Send(Call& call);
  void SendDecision(Call& call, bool approve);
  void PrepareContext(Call& call);

  void OnEvent(Call& call, bool ok);
  void OnStreamEvent(Call& call, bool ok);
  void OnRpcEnd(Call& call);
  // Starts the RPC that follows in the flow of a confirmation. Returns false if none does.
  bool Continue(Call& call, const stats::Outcome& outcome);
  void Capture(const Call& call);
  void EndCall(Call* call, const stats::Outcome& outcome);
  // Closed loop: the caller of an ended call makes the next one, at once or after a pause.
  void NextOfCaller(const stats::Outcome& outcome);
  void WakeLater(int64_t due);

  bool Expected(const Call& call, const stats::Outcome& outcome) const;
  void Count(const Call& call, const stats::Outcome& outcome);
  void Link(Call* call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Unlink(Call* call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  SharedState& shared_;
  const Plan& plan_;
  const int index_;
  const int callers_;                                 // Closed loop: callers of this lane.
  std::vector<std::vector<Connection>> connections_;  // By target.
  grpc::CompletionQueue queue_;

  mutable absl::Mutex mutex_;
  stats::Tally tally_ ABSL_GUARDED_BY(mutex_);
  stats::Interval interval_ ABSL_GUARDED_BY(mutex_);
  Call* running_ ABSL_GUARDED_BY(mutex_) = nullptr;
  int64_t active_ ABSL_GUARDED_BY(mutex_) = 0;  // Calls that run or wait for their think time, and the open schedule.

  // Apart from `mutex_`, whose every release would have to look whether the pacer may go on.
  absl::Mutex pacer_mutex_;
  // Closed loop: times at which callers make their next calls, earliest first.
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> wake_ups_ ABSL_GUARDED_BY(pacer_mutex_);
  bool end_pacer_ ABSL_GUARDED_BY(pacer_mutex_) = false;

  std::thread pacer_;
  std::thread completer_;
  bool joined_ = false;
};

}  // namespace toolgate::cli::load::driver

#endif  // TOOLGATE_CLI_LOAD_DRIVER_LANE_H_
