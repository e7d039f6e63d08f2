// How many calls may wait, over all bulkheads together, and who sends them away.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_WAITING_ROOM_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_WAITING_ROOM_H_

#include <cstdint>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace toolgate::security::execution_tracking {

// Those who wait for the same.
class WaitingLine {
 public:
  // Sends away those whose patience is at its end. Answers when to ask again, at the latest.
  virtual absl::Duration SendAwayImpatient() = 0;

 protected:
  ~WaitingLine() = default;
};

// A call that waits keeps no thread that could look at the time, or whether its client is still there. The room's own
// thread does, for as long as anybody waits. Thread-safe.
class WaitingRoom {
 public:
  explicit WaitingRoom(int64_t places) : places_(places) {}
  // When nobody waits any more.
  ~WaitingRoom();
  WaitingRoom(const WaitingRoom&) = delete;
  WaitingRoom& operator=(const WaitingRoom&) = delete;

  // Looks after `line` until it is removed.
  void Add(WaitingLine& line);
  void Remove(WaitingLine& line);

  // False when all places are taken. After true, Leave must follow.
  bool TryEnter();
  void Leave();
  int64_t waiting() const;

 private:
  void Watch();

  const int64_t places_;
  mutable absl::Mutex mutex_;
  int64_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<WaitingLine*> lines_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_ ABSL_GUARDED_BY(mutex_);  // Started with the first who waits.
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_WAITING_ROOM_H_
