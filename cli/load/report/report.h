// Result of a load test, as the text, JSON and HTML reports show it.
#ifndef TOOLGATE_CLI_LOAD_REPORT_REPORT_H_
#define TOOLGATE_CLI_LOAD_REPORT_REPORT_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "cli/load/server_metrics/server_numbers.h"
#include "cli/load/stats/histogram.h"
#include "cli/load/stats/outcome.h"
#include "cli/load/stats/tally.h"

namespace toolgate::cli::load::report {

// Percentiles that every report shows, as shares.
struct PercentileRow {
  std::string_view name;
  double share;
};
inline constexpr std::array<PercentileRow, 7> kPercentiles = {
    {{"p50", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}}};

// One point of the curve of latencies: the share of calls that took at most `seconds`.
struct CurvePoint {
  double share = 0;
  double seconds = 0;
};

// Distribution of a time, in seconds.
struct Distribution {
  int64_t count = 0;
  double min = 0;
  double mean = 0;
  double max = 0;
  std::array<double, kPercentiles.size()> percentiles = {};

  static Distribution Of(const stats::Histogram& histogram);
  // Value of "p99" and so on; `share` must be one of kPercentiles.
  double At(std::string_view name) const;
};

struct OutcomeRow {
  stats::Outcome outcome;
  int64_t count = 0;
  int64_t unexpected = 0;
  Distribution latency;
  std::string first_message;
};

struct OperationRow {
  std::string name;
  std::string tool;  // Empty for a decision.
  int64_t count = 0;
  int64_t unexpected = 0;
  double rate = 0;  // RPCs a second that ended in the measured time.
  stats::Histogram latency_histogram;
  Distribution latency;  // From the intended start.
  Distribution service;  // From the actual start.
  std::vector<OutcomeRow> outcomes;
};

struct TargetRow {
  std::string address;
  int64_t count = 0;
  int64_t unexpected = 0;
  Distribution latency;
};

// One short interval.
struct TimePoint {
  double begin = 0;  // Seconds since the start, with the warm-up.
  double end = 0;
  bool warm_up = false;
  double intended_rate = 0;  // Of the schedule; 0 in the closed loop.
  double started_rate = 0;
  double completed_rate = 0;
  double missed_rate = 0;
  int64_t completed = 0;
  int64_t in_flight = 0;
  double p50 = 0;
  double p99 = 0;
  double max = 0;
  std::map<std::string, int64_t> errors;  // Unexpected outcomes by code.
};

struct ThresholdRow {
  std::string text;    // As it was given.
  std::string actual;  // Measured value for people.
  bool passed = false;
};

// Numbers of the service itself.
struct ServerPart {
  std::vector<std::string> urls;
  std::string problem;  // Reason for missing numbers; empty if they are complete.
  std::optional<server_metrics::ServerNumbers> numbers;
  std::vector<server_metrics::ServerGauges> gauges;
};

// Cost and precision of the harness.
struct HarnessPart {
  int threads = 0;
  int connections = 0;  // In all.
  int processors = 0;   // Of the machine.
  double cpu_seconds = 0;
  Distribution start_lag;  // Open loop: actual minus intended start.
};

struct Report {
  std::string version;  // Of toolgate.
  std::string command_line;
  std::string profile;
  std::string description;
  std::string load;  // "open loop, Poisson arrivals, 500 calls a second".
  bool open_loop = false;
  uint64_t seed = 0;
  std::string run_id;
  std::vector<std::string> targets_given;
  size_t callers = 0;
  size_t workspaces = 0;
  absl::Time started_at;
  double warm_up_seconds = 0;
  double measured_seconds = 0;
  bool interrupted = false;
  std::string machine;  // Operating system and processor.

  int64_t count = 0;
  int64_t unexpected = 0;
  double rate = 0;
  int64_t missed_starts = 0;
  int64_t skipped_steps = 0;
  int64_t warm_up_calls = 0;
  int64_t cancelled_calls = 0;
  int64_t stream_events = 0;
  Distribution latency;
  Distribution service;
  Distribution first_event;
  std::vector<CurvePoint> latency_curve;
  std::vector<CurvePoint> service_curve;
  std::vector<OperationRow> operations;  // Those that occurred.
  std::vector<TargetRow> targets;
  std::vector<TimePoint> timeline;
  std::vector<ThresholdRow> thresholds;
  std::vector<std::string> warnings;  // Reasons to distrust the numbers.
  ServerPart server;
  HarnessPart harness;

  double error_share() const { return count == 0 ? 0 : static_cast<double>(unexpected) / static_cast<double>(count); }
  bool passed() const;  // True if all thresholds passed.
};

// Fills in the fields from `count` to `targets` from the counts of the run. `measured_seconds` must be set.
void FillFromTally(const stats::Tally& tally, const std::vector<std::string>& names,
                   const std::vector<std::string>& tools, const std::vector<std::string>& addresses, Report& report);

// Point of an interval.
TimePoint PointOf(const stats::Interval& interval, double intended_rate);

// Adds reasons to distrust the numbers, from everything else in the report.
void AddWarnings(Report& report);

}  // namespace toolgate::cli::load::report

#endif  // TOOLGATE_CLI_LOAD_REPORT_REPORT_H_
