// Readiness follows the store.
#ifndef TOOLGATE_SERVICES_APP_READINESS_WATCH_H_
#define TOOLGATE_SERVICES_APP_READINESS_WATCH_H_

#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace toolgate::services::app {

// Checks regularly, on a thread of its own, whether calls can be served, and reports when the result changes: so health
// shows when the disk breaks, and when it works again, without a restart.
class ReadinessWatch {
 public:
  // Returns whether calls can be served, and if not, the reason.
  using Check = std::function<absl::Status()>;
  // Called with the first result, and then whenever it changes between OK and not OK.
  using Tell = std::function<void(const absl::Status&)>;

  // Performs and reports the first check before it returns. `interval` is the time between the end of a check and the
  // next one.
  ReadinessWatch(Check check, Tell tell, absl::Duration interval);
  // Waits for a running check.
  ~ReadinessWatch();
  ReadinessWatch(const ReadinessWatch&) = delete;
  ReadinessWatch& operator=(const ReadinessWatch&) = delete;

 private:
  void Loop();

  const Check check_;
  const Tell tell_;
  const absl::Duration interval_;
  bool ready_ = false;  // Used by the constructor, then only by the thread.
  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_READINESS_WATCH_H_
