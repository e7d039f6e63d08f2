// Recovery of interrupted effects, and renewal of running ones, at start and from then on.
#ifndef TOOLGATE_SERVICES_APP_RECOVERY_WATCH_H_
#define TOOLGATE_SERVICES_APP_RECOVERY_WATCH_H_

#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace toolgate::services::app {

// Runs rounds on a thread of its own; the first one begins at once, in parallel with the first calls.
class RecoveryWatch {
 public:
  // `interval` is the time between the end of a round and the next one.
  RecoveryWatch(std::function<void()> round, absl::Duration interval);
  // Waits for a running round.
  ~RecoveryWatch();
  RecoveryWatch(const RecoveryWatch&) = delete;
  RecoveryWatch& operator=(const RecoveryWatch&) = delete;

 private:
  void Loop();

  const std::function<void()> round_;
  const absl::Duration interval_;
  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_RECOVERY_WATCH_H_
