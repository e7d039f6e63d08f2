#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_STATEMENT_GUARD_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_STATEMENT_GUARD_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/stack_bound.h"
#include "executors/progress.h"

namespace toolgate::executors::sql::engine {

// Out of the 1 MiB of a call's fiber. SQLite asks on the way down through nested parts; if it goes down the same way
// again it does not ask, and may then use up to twice as much. Enough for some hundred views or tables in a row.
inline constexpr size_t kMaxStackBytes = size_t{192} << 10;

// Decides whether a statement may continue: within its own time, before its call's deadline, while the client is there,
// and as long as SQLite, which recurses into nested parts, uses no more stack than kMaxStackBytes. A refusal is final.
// Called from SQLite's progress handler, authoriser and allocator, and from our functions. Used by one thread.
class StatementGuard {
 public:
  // Both must outlive it. The time and the stack count from here.
  StatementGuard(const Clock& clock, const fibers::Cancellation& cancellation, absl::Duration max_time);

  // Tells `progress`, which outlives this, from time to time how much of its time the statement has used.
  void ReportTo(executors::ProgressSink& progress) { progress_ = &progress; }

  bool MayContinue();
  // The stack limit that MayContinue checks.
  StackBound stack() const { return stack_; }
  // Stops the statement for another reason.
  void Stop(absl::Status why);
  // OK, or why it stopped: a ToolError (TIMEOUT, CANCELLED, or the status given to Stop).
  const absl::Status& status() const { return status_; }

 private:
  void Report(absl::Duration now);

  const Clock& clock_;
  const fibers::Cancellation& cancellation_;
  const absl::Duration max_time_;
  const absl::Duration end_;
  const StackBound stack_;
  executors::ProgressSink* progress_ = nullptr;
  absl::Duration next_report_;
  absl::Status status_;
};

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_STATEMENT_GUARD_H_
