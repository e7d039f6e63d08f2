// The calls that run now, so that a drain can end them.
#ifndef TOOLGATE_SERVICES_GRPC_CALL_TRACKER_H_
#define TOOLGATE_SERVICES_GRPC_CALL_TRACKER_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace toolgate::services::grpc {

// A call that can be told to end. A reactor is one: it adds itself before its work starts and removes itself in OnDone.
class TrackedCall {
 public:
  // End soon: stop the work, then Finish. Called at most once, from any thread, perhaps by CallTracker::Add itself. It
  // may call Finish, but must not block and must not call Add or Remove: a lock of the tracker is held.
  virtual void Cancel() = 0;

 protected:
  virtual ~TrackedCall() = default;

 private:
  friend class CallTracker;
  TrackedCall* previous_ = nullptr;
  TrackedCall* next_ = nullptr;
  bool open_ended_ = false;
  bool cancelled_ = false;
};

// Thread-safe. Borrows the calls between Add and Remove; no allocation. Outlives them.
class CallTracker {
 public:
  enum class Length {
    kBounded,    // Works towards an answer: a drain lets it finish while there is time.
    kOpenEnded,  // Lasts until the client leaves (a health watch): ended as soon as a drain begins.
  };

  CallTracker() = default;
  CallTracker(const CallTracker&) = delete;
  CallTracker& operator=(const CallTracker&) = delete;

  void Add(TrackedCall& call, Length length = Length::kBounded);
  // The call is not touched afterwards: when Cancel is just running on another thread, this waits for its return.
  void Remove(TrackedCall& call);

  // Cancels open-ended calls, now and whenever one is added later.
  void CancelOpenEnded();
  // Cancels every call, now and whenever one is added later.
  void CancelAll();

  // Calls between Add and Remove.
  int64_t count() const;

 private:
  // Calls are spread over several lists by address, so that threads rarely meet at a lock.
  struct alignas(64) Shard {
    mutable absl::Mutex mutex;
    TrackedCall* first ABSL_GUARDED_BY(mutex) = nullptr;
    int64_t count ABSL_GUARDED_BY(mutex) = 0;
    bool cancel_open_ended ABSL_GUARDED_BY(mutex) = false;
    bool cancel_bounded ABSL_GUARDED_BY(mutex) = false;
  };

  Shard& ShardOf(const TrackedCall& call);
  static void CancelIfAsked(Shard& shard, TrackedCall& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mutex);
  void CancelWhere(bool bounded_too);

  std::array<Shard, 16> shards_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_CALL_TRACKER_H_
