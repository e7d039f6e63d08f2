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

// Asks again and again, on a thread of its own, whether calls can be served, and tells when the answer changes: so
// health says it when the disk breaks, and says it when the disk is back, without a restart.
class ReadinessWatch {
 public:
  // Whether calls can be served, and why not.
  using Check = std::function<absl::Status()>;
  // Told the first answer, and then each one that is OK after one that was not, or the other way round.
  using Tell = std::function<void(const absl::Status&)>;

  // Has asked, and told, for the first time when it returns. `interval` is the time between an answer and the next
  // question.
  ReadinessWatch(Check check, Tell tell, absl::Duration interval);
  // Waits for the question that is under way.
  ~ReadinessWatch();
  ReadinessWatch(const ReadinessWatch&) = delete;
  ReadinessWatch& operator=(const ReadinessWatch&) = delete;

 private:
  void Loop();

  const Check check_;
  const Tell tell_;
  const absl::Duration interval_;
  bool ready_ = false;  // The constructor's, then the thread's alone.
  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_READINESS_WATCH_H_
