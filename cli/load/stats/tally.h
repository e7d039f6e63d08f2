// Counts of a load test, kept by each of its threads and merged at the end.
#ifndef TOOLGATE_CLI_LOAD_STATS_TALLY_H_
#define TOOLGATE_CLI_LOAD_STATS_TALLY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/load/stats/histogram.h"
#include "cli/load/stats/outcome.h"

namespace toolgate::cli::load::stats {

// One finished RPC. Times are in nanoseconds of one monotonic clock.
struct Result {
  size_t operation = 0;  // Index into the names of operations.
  size_t target = 0;     // Index into the targets.
  int64_t intended = 0;  // Time at which it should have started.
  int64_t started = 0;
  int64_t ended = 0;
  Outcome outcome;
  bool in_window = true;  // Ended before the end of the measured time.
  bool expected = true;   // The outcome is one that the profile expects.
  std::string message;    // Explanation of an unexpected outcome.
};

struct OutcomeTally {
  int64_t expected = 0;
  int64_t unexpected = 0;
  Histogram latency;          // From the intended start to the end.
  std::string first_message;  // Explanation of the first unexpected outcome.
};

// RPCs of one kind: a step of the profile, or a part of its flow.
struct OperationTally {
  std::map<Outcome, OutcomeTally> outcomes;
  Histogram service;      // From the actual start to the end.
  int64_t in_window = 0;  // Those that ended before the end of the measured time.

  int64_t count() const { return service.count(); }
  int64_t unexpected() const;
  Histogram Latency() const;  // Over all outcomes.
};

struct TargetTally {
  int64_t count = 0;
  int64_t unexpected = 0;
  Histogram latency;
};

// Everything that counts in the measured part of a run. Not thread-safe.
struct Tally {
  std::vector<OperationTally> operations;
  std::vector<TargetTally> targets;
  Histogram start_lag;          // Actual minus intended start.
  Histogram first_event;        // From the start of a streamed call to its first event.
  int64_t stream_events = 0;    // Events of streamed calls.
  int64_t missed_starts = 0;    // Due calls that were not started, because too many were in flight.
  int64_t skipped_steps = 0;    // Draws of a step that had no id left to use.
  int64_t warm_up_calls = 0;    // RPCs that ended in the warm-up, or began in it.
  int64_t cancelled_calls = 0;  // RPCs that were still running when the run was aborted.

  Tally() = default;
  Tally(size_t operation_count, size_t target_count) : operations(operation_count), targets(target_count) {}

  void Add(const Result& result);
  void Merge(const Tally& other);

  int64_t count() const;
  int64_t in_window() const;
  int64_t unexpected() const;
};

// Counts of one short interval, for the plots over time; includes the warm-up.
struct Interval {
  double begin = 0;  // Seconds since the start of the run.
  double end = 0;
  bool warm_up = false;
  int64_t started = 0;
  int64_t completed = 0;
  int64_t unexpected = 0;
  int64_t missed_starts = 0;
  int64_t in_flight = 0;  // At the end of the interval.
  Histogram latency;
  std::map<std::string, int64_t> errors;  // Unexpected outcomes by code.

  void Add(const Result& result);
  void Merge(const Interval& other);
};

}  // namespace toolgate::cli::load::stats

#endif  // TOOLGATE_CLI_LOAD_STATS_TALLY_H_
