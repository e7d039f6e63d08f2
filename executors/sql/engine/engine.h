#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_ENGINE_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_ENGINE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fairness/memory_budget.h"
#include "common/fibers/cancellation.h"
#include "common/json.h"
#include "executors/progress.h"
#include "executors/sql/engine/authorizer.h"
#include "executors/sql/engine/page_source.h"
#include "executors/sql/engine/sql_limits.h"
#include "toolgate/internal/v1/sql.pb.h"

namespace toolgate::executors::sql::engine {

// Pages that differ after a write.
struct ChangedPages {
  int64_t page_count = 0;  // Of the whole file.
  std::map<int64_t, std::string> pages;
};

// Answer and effects of one statement. Nothing of it is stored yet.
struct Outcome {
  Json answer;                    // {"rows": …}, {"affectedRows": n} or {"success": true}.
  int64_t affected_rows = 0;      // SQLite's count: without the effects of triggers and foreign keys.
  std::vector<SchemaStep> steps;  // Empty unless the statement changes the schema.
  // Number of rows in each table that the statement drops.
  std::map<std::string, int64_t> dropped_rows;
  std::optional<ChangedPages> pages;  // Nothing if not a single byte changed.
  // Data for undo. Nothing for a schema change with too many rows to keep.
  std::optional<internal::v1::SqlChange> change;

  bool changes_schema() const { return !steps.empty(); }
};

// The outcome of taking a change back.
struct Reversal {
  std::optional<ChangedPages> pages;
  // Takes the reversal back. Nothing if its rows are too many to keep.
  std::optional<internal::v1::SqlChange> change;
};

// Runs SQL on private databases. Thread-safe; a statement runs on its caller's thread, which waits for it.
class Engine {
 public:
  // Of one statement among those of all callers; null where they are not bounded together.
  using Memory = fairness::MemoryBudget::Reservation;

  // `clock`, which must outlive it, measures how long a statement runs; it must advance.
  // `budget` bounds the statements of all callers together; null: nothing does.
  Engine(const SqlLimits& limits, const Clock& clock, std::shared_ptr<fairness::MemoryBudget> budget = nullptr)
      : limits_(limits), clock_(clock), budget_(std::move(budget)) {}

  // Runs one statement that a caller wrote, at `now`, on the database in `source`, and takes nothing for granted about
  // it. Nothing is kept when it fails. A ToolError: FORBIDDEN, INVALID_PARAMS, CONFLICT, QUOTA_EXCEEDED, TIMEOUT,
  // CANCELLED, or OVERLOADED when `memory` has no room. A failure of `source` comes back as it is. `progress`, when
  // there is one, is told from time to time.
  absl::StatusOr<Outcome> Run(PageSource& source, std::string_view sql, absl::Time now,
                              const fibers::Cancellation& cancellation, executors::ProgressSink* progress = nullptr,
                              Memory* memory = nullptr) const;

  // Only compiles the statement and returns its schema changes; empty if it makes none. Fails as Run does.
  absl::StatusOr<std::vector<SchemaStep>> Inspect(PageSource& source, std::string_view sql, absl::Time now,
                                                  const fibers::Cancellation& cancellation,
                                                  Memory* memory = nullptr) const;

  // Takes `change` back. CONFLICT names table and row if something is not as the change left it.
  absl::StatusOr<Reversal> Reverse(PageSource& source, const internal::v1::SqlChange& change, absl::Time now,
                                   const fibers::Cancellation& cancellation, Memory* memory = nullptr) const;

  // DumpDatabase of the database in `source`.
  absl::StatusOr<std::string> Dump(PageSource& source) const;

  const SqlLimits& limits() const { return limits_; }
  // For the Memory of a statement; may be null.
  fairness::MemoryBudget* budget() const { return budget_.get(); }

 private:
  const SqlLimits limits_;
  const Clock& clock_;
  const std::shared_ptr<fairness::MemoryBudget> budget_;
};

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_ENGINE_H_
