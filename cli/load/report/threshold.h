// Conditions that decide the exit code of a load test.
#ifndef TOOLGATE_CLI_LOAD_REPORT_THRESHOLD_H_
#define TOOLGATE_CLI_LOAD_REPORT_THRESHOLD_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cli/load/report/report.h"

namespace toolgate::cli::load::report {

// Immutable.
class Threshold {
 public:
  // Reads "p99<50ms", "errors<0.1%", "rate>1000/s", "missed<=0", "get_block.p99.9<20ms":
  //   [STEP.]METRIC COMPARISON VALUE
  // Metrics are percentiles from p0 to p100, min, mean and max (durations), errors (a share in % of the RPCs), rate
  // (RPCs a second) and count; for the whole run also missed (missed starts). STEP is a row of the report, or a tool,
  // which stands for all its rows. INVALID_ARGUMENT otherwise; the message says what would be right.
  static absl::StatusOr<Threshold> Parse(std::string_view text);

  // A threshold on a step that had no calls is not met.
  ThresholdRow Check(const Report& report) const;

  const std::string& step() const { return step_; }

 private:
  enum class Metric { kQuantile, kMin, kMean, kMax, kErrors, kRate, kCount, kMissed };
  // Values of one step, or of all.
  struct Values;

  static bool ParseMetric(std::string_view name, Threshold& out);
  double Measure(const Values& values) const;
  std::string Format(double value) const;

  std::string text_;
  std::string step_;  // Empty: the whole run.
  Metric metric_ = Metric::kQuantile;
  double share_ = 0;        // Of a quantile.
  std::string comparison_;  // "<", "<=", ">" or ">=".
  double bound_ = 0;        // In seconds, as a share, or as a number.
};

}  // namespace toolgate::cli::load::report

#endif  // TOOLGATE_CLI_LOAD_REPORT_THRESHOLD_H_
