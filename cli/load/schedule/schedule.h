// Rate of calls over time, for open-loop load tests.
#ifndef TOOLGATE_CLI_LOAD_SCHEDULE_SCHEDULE_H_
#define TOOLGATE_CLI_LOAD_SCHEDULE_SCHEDULE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace toolgate::cli::load::schedule {

// A rate that changes linearly from `from` to `to` calls a second.
struct Stage {
  double from = 0;
  double to = 0;
  double seconds = 0;
};

// Consecutive stages; the rate is 0 after the last. Immutable.
class Schedule {
 public:
  // `rate` calls a second without an end.
  static Schedule Constant(double rate);

  // Reads one of
  //   500                            constant, without an end
  //   100/30s,100-500/1m,500/2m      stages: RATE/DURATION holds, FROM-TO/DURATION changes linearly
  //   ramp:0-2000/60s                one change
  //   step:100-1000/5/60s            five equal steps in 60 s
  //   spike:100-2000/60s             100, with 2,000 in the middle fifth
  // INVALID_ARGUMENT otherwise; the message says what would be right. Rates are from 0 to 10,000,000.
  static absl::StatusOr<Schedule> Parse(std::string_view text);

  // Holds the first rate for `warm_up` before the stages.
  Schedule WithWarmUp(absl::Duration warm_up) const;

  // Total of the stages; infinite for a constant rate.
  absl::Duration length() const;
  double RateAt(double seconds) const;
  double highest_rate() const;
  // Calls that are due before `seconds`.
  double CallsBefore(double seconds) const;
  // Time in seconds at which `calls` have become due: the inverse of CallsBefore. Nothing if that never happens.
  std::optional<double> TimeOf(double calls) const;

  const std::vector<Stage>& stages() const { return stages_; }

 private:
  explicit Schedule(std::vector<Stage> stages) : stages_(std::move(stages)) {}

  std::vector<Stage> stages_;
};

}  // namespace toolgate::cli::load::schedule

#endif  // TOOLGATE_CLI_LOAD_SCHEDULE_SCHEDULE_H_
