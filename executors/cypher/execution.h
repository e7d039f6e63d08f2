// State of one run of a query.
#ifndef TOOLGATE_EXECUTORS_CYPHER_EXECUTION_H_
#define TOOLGATE_EXECUTORS_CYPHER_EXECUTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fairness/memory_budget.h"
#include "common/stack_bound.h"
#include "common/status_macros.h"
#include "executors/cypher/bounds.h"
#include "executors/cypher/functions/functions.h"
#include "executors/cypher/graph.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher {

class GraphWriter;

// The frame of variables, the bounds and whatever else the operators and expressions of a plan share while they run.
// Used by one thread. Borrows the graph, the parameters and the clock.
//
// Every variable of a query, and every intermediate value that outlives an expression, has a slot of its own in the
// frame. An operator writes its slots and hands the row on; only operators that keep rows copy slots out and back.
class Execution {
 public:
  struct Setup {
    const Graph& graph;
    const values::Map& parameters;
    std::string_view text;  // Of the query, for positions in errors.
    Bounds bounds;
    const Clock& clock;
    uint64_t random_seed = 0;
    std::function<bool()> should_stop;  // Asked every few hundred steps; true ends the run with CANCELLED.
    GraphWriter* writer = nullptr;      // For CREATE; null where a query only reads.
    fairness::MemoryBudget::Reservation* memory = nullptr;  // Null: no one is told of the bytes in use.
  };

  Execution(const Setup& setup, size_t slots);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  values::Value& slot(int index) { return frame_[static_cast<size_t>(index)]; }
  const Graph& graph() const { return setup_.graph; }
  const values::Map& parameters() const { return setup_.parameters; }
  std::string_view text() const { return setup_.text; }
  const Bounds& bounds() const { return setup_.bounds; }
  functions::CallContext& call() { return call_; }
  GraphWriter* writer() { return setup_.writer; }

  // Counts one step of work. An error when the run must end: time is up, or it was cancelled.
  absl::Status Step() { return Steps(1); }
  // Counts the work on values of so many bytes.
  absl::Status StepOverBytes(size_t bytes) { return Steps(bytes / kBytesPerStep); }

  // An error when operators are nested too deeply for the stack.
  absl::Status CheckStack() const;

  // Books bytes that an operator keeps; see Held.
  absl::Status Hold(size_t bytes);
  void Release(size_t bytes) { held_ -= bytes; }

  // Refuses a value that is too large or nested too deeply, or that the query has no memory for beside its others.
  absl::StatusOr<values::Value> Checked(values::Value value);

 private:
  static constexpr uint64_t kStepsPerCheck = 256;
  static constexpr size_t kBytesPerStep = 4096;

  absl::Status Steps(uint64_t count) {
    const uint64_t checks = steps_ / kStepsPerCheck;
    steps_ += count;
    return steps_ / kStepsPerCheck == checks ? absl::OkStatus() : CheckStop();
  }
  absl::Status CheckStop();
  // Counts a large value for as long as anything refers to it.
  absl::Status Track(const values::Value& value);
  // Bytes in use: those that are booked, or those of large values, since most of these are booked too.
  absl::Status CheckMemory();

  // A value that was large when it was made.
  struct LargeValue {
    std::weak_ptr<const void> contents;
    size_t bytes;
  };

  const Setup setup_;
  std::vector<values::Value> frame_;
  functions::CallContext call_;
  const absl::Duration deadline_;
  const StackBound stack_;
  uint64_t steps_ = 0;
  size_t held_ = 0;
  std::vector<LargeValue> large_values_;
  size_t large_bytes_ = 0;
};

// Bytes booked with an execution as long as this lives.
class Held {
 public:
  explicit Held(Execution& execution) : execution_(execution) {}
  ~Held() { execution_.Release(bytes_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  absl::Status Add(size_t bytes) {
    RETURN_IF_ERROR(execution_.Hold(bytes));
    bytes_ += bytes;
    return absl::OkStatus();
  }
  void Remove(size_t bytes) {
    execution_.Release(bytes);
    bytes_ -= bytes;
  }

 private:
  Execution& execution_;
  size_t bytes_ = 0;
};

// A value computed from the frame. Errors carry a CypherError, or are failures of the graph.
using Evaluation = std::function<absl::StatusOr<values::Value>(Execution&)>;

// Carries the outcome of visitors that can fail or end a query through a visit of the graph.
class VisitOutcome {
 public:
  // Keeps a visitor's outcome; answers whether the graph should go on.
  bool Take(absl::StatusOr<bool> more) {
    more_ = std::move(more);
    return more_.ok() && *more_;
  }
  // Whether more rows are wanted, after a visit that ended with `visit`.
  absl::StatusOr<bool> Finish(absl::Status visit) && {
    if (!visit.ok()) return visit;
    return std::move(more_);
  }

 private:
  absl::StatusOr<bool> more_ = true;
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_EXECUTION_H_
