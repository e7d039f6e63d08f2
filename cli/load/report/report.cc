#include "cli/load/report/report.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/load/report/format.h"

namespace toolgate::cli::load::report {
namespace {

double ToSeconds(double nanos) { return nanos * 1e-9; }

// At most about `kMostPoints` points, the last ones closest together.
std::vector<CurvePoint> CurveOf(const stats::Histogram& histogram) {
  std::vector<CurvePoint> points;
  const auto count = static_cast<double>(histogram.count());
  histogram.VisitCumulative([&](int64_t nanos, int64_t cumulative) {
    points.push_back({static_cast<double>(cumulative) / count, ToSeconds(static_cast<double>(nanos))});
  });
  return points;
}

OperationRow RowOf(const stats::OperationTally& tally, std::string name, std::string tool, double seconds) {
  OperationRow row;
  row.name = std::move(name);
  row.tool = std::move(tool);
  row.count = tally.count();
  row.unexpected = tally.unexpected();
  row.rate = seconds > 0 ? static_cast<double>(tally.in_window) / seconds : 0;
  row.latency_histogram = tally.Latency();
  row.latency = Distribution::Of(row.latency_histogram);
  row.service = Distribution::Of(tally.service);
  for (const auto& [outcome, counts] : tally.outcomes) {
    row.outcomes.push_back({outcome, counts.expected + counts.unexpected, counts.unexpected,
                            Distribution::Of(counts.latency), counts.first_message});
  }
  std::stable_sort(row.outcomes.begin(), row.outcomes.end(),
                   [](const OutcomeRow& a, const OutcomeRow& b) { return a.count > b.count; });
  return row;
}

void WarnOfHarness(Report& report) {
  constexpr double kLateStart = 0.001;
  constexpr double kBusy = 0.9;
  const HarnessPart& harness = report.harness;
  const double lag = harness.start_lag.At("p99");
  if (lag > kLateStart && lag > 0.1 * report.latency.At("p50")) {
    report.warnings.push_back(absl::StrCat("The harness started calls late: one in a hundred by ", FormatSeconds(lag),
                                           " or more. Latencies contain that delay; service times do not."));
  }
  const double cores = report.measured_seconds > 0 ? harness.cpu_seconds / report.measured_seconds : 0;
  if (cores > kBusy * harness.threads) {
    report.warnings.push_back(
        absl::StrFormat("The harness used %.1f cores with %d threads, so it may be the bottleneck itself: give it "
                        "--threads or a machine "
                        "of its own.",
                        cores, harness.threads));
  }
}

}  // namespace

Distribution Distribution::Of(const stats::Histogram& histogram) {
  Distribution out;
  out.count = histogram.count();
  out.min = ToSeconds(static_cast<double>(histogram.min()));
  out.mean = ToSeconds(histogram.mean());
  out.max = ToSeconds(static_cast<double>(histogram.max()));
  for (size_t i = 0; i < kPercentiles.size(); ++i) {
    out.percentiles[i] = ToSeconds(static_cast<double>(histogram.Quantile(kPercentiles[i].share)));
  }
  return out;
}

double Distribution::At(std::string_view name) const {
  for (size_t i = 0; i < kPercentiles.size(); ++i) {
    if (kPercentiles[i].name == name) return percentiles[i];
  }
  return 0;
}

bool Report::passed() const {
  return std::all_of(thresholds.begin(), thresholds.end(), [](const ThresholdRow& row) { return row.passed; });
}

void FillFromTally(const stats::Tally& tally, const std::vector<std::string>& names,
                   const std::vector<std::string>& tools, const std::vector<std::string>& addresses, Report& report) {
  const double seconds = report.measured_seconds;
  report.count = tally.count();
  report.unexpected = tally.unexpected();
  report.rate = seconds > 0 ? static_cast<double>(tally.in_window()) / seconds : 0;
  report.missed_starts = tally.missed_starts;
  report.skipped_steps = tally.skipped_steps;
  report.warm_up_calls = tally.warm_up_calls;
  report.cancelled_calls = tally.cancelled_calls;
  report.stream_events = tally.stream_events;
  report.first_event = Distribution::Of(tally.first_event);
  report.harness.start_lag = Distribution::Of(tally.start_lag);
  stats::Histogram latency;
  stats::Histogram service;
  for (size_t i = 0; i < tally.operations.size(); ++i) {
    const stats::OperationTally& operation = tally.operations[i];
    if (operation.count() == 0) continue;
    report.operations.push_back(RowOf(operation, names[i], tools[i], seconds));
    latency.Merge(report.operations.back().latency_histogram);
    service.Merge(operation.service);
  }
  report.latency = Distribution::Of(latency);
  report.service = Distribution::Of(service);
  report.latency_curve = CurveOf(latency);
  if (report.open_loop) report.service_curve = CurveOf(service);
  for (size_t i = 0; i < tally.targets.size(); ++i) {
    const stats::TargetTally& target = tally.targets[i];
    report.targets.push_back({addresses[i], target.count, target.unexpected, Distribution::Of(target.latency)});
  }
}

TimePoint PointOf(const stats::Interval& interval, double intended_rate) {
  const double seconds = std::max(interval.end - interval.begin, 1e-9);
  const auto rate = [&](int64_t count) { return static_cast<double>(count) / seconds; };
  const auto quantile = [&](double share) { return ToSeconds(static_cast<double>(interval.latency.Quantile(share))); };
  TimePoint point;
  point.begin = interval.begin;
  point.end = interval.end;
  point.warm_up = interval.warm_up;
  point.intended_rate = intended_rate;
  point.started_rate = rate(interval.started);
  point.completed_rate = rate(interval.completed);
  point.missed_rate = rate(interval.missed_starts);
  point.completed = interval.completed;
  point.in_flight = interval.in_flight;
  point.p50 = quantile(0.5);
  point.p99 = quantile(0.99);
  point.max = ToSeconds(static_cast<double>(interval.latency.max()));
  point.errors = interval.errors;
  return point;
}

void AddWarnings(Report& report) {
  constexpr int64_t kFewCalls = 1000;
  if (report.interrupted)
    report.warnings.emplace_back("The run was interrupted; it shows what was measured until then.");
  if (report.count == 0) {
    report.warnings.emplace_back("No call was measured.");
  } else if (report.count < kFewCalls) {
    report.warnings.push_back(
        absl::StrCat("Only ", Plural(report.count, "RPC"), " were measured, too few for percentiles beyond the 99th."));
  }
  if (report.missed_starts > 0) {
    report.warnings.push_back(absl::StrCat(
        FormatCount(report.missed_starts),
        " calls were due but not started, because too many were in flight: the service did not keep up with the "
        "schedule, and latencies look better than its users would see them."));
  }
  if (report.cancelled_calls > 0) {
    report.warnings.push_back(
        absl::StrCat(Plural(report.cancelled_calls, "call"), " cancelled at the end of the run."));
  }
  const auto limited = [](const OutcomeRow& row) { return row.outcome.code == "RATE_LIMITED" && row.unexpected > 0; };
  for (const OperationRow& row : report.operations) {
    if (std::none_of(row.outcomes.begin(), row.outcomes.end(), limited)) continue;
    report.warnings.emplace_back(
        "The service refused calls because of its own rate limits. To measure it without them, run it with "
        "deploy/load/unlimited.yaml.");
    break;
  }
  if (!report.server.problem.empty()) report.warnings.push_back(report.server.problem);
  WarnOfHarness(report);
}

}  // namespace toolgate::cli::load::report
