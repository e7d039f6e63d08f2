#ifndef TOOLGATE_EXECUTORS_SQL_WATCH_H_
#define TOOLGATE_EXECUTORS_SQL_WATCH_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/cancellation.h"
#include "common/clock.h"

namespace toolgate::executors::sql {

// Decides whether a statement may go on: within its own time, its call's deadline, and while the client is there. Once
// it said no it stays with that. SQLite asks from its progress handler, its authoriser, its allocator and our
// functions. Used by one thread.
class Watch {
 public:
  // Both outlive it. The time counts from here.
  Watch(const Clock& clock, const Cancellation& cancellation, absl::Duration max_time);

  bool MayGoOn();
  // Stops for another reason.
  void Stop(absl::Status why);
  // OK, or why it stopped: a ToolError (TIMEOUT, CANCELLED, or what Stop was told).
  const absl::Status& status() const { return status_; }

 private:
  const Clock& clock_;
  const Cancellation& cancellation_;
  const absl::Duration max_time_;
  const absl::Duration end_;
  absl::Status status_;
};

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_WATCH_H_
