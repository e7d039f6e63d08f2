#include "cli/load/report/report_charts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/load/report/format.h"
#include "common/absl_bridge.h"

namespace toolgate::cli::load::report {
namespace {

constexpr size_t kMostPoints = 400;
constexpr size_t kMostErrorSeries = 6;

// "1 ms" instead of "1.00 ms", for ticks.
std::string WithoutZeros(std::string text) {
  const size_t dot = text.find('.');
  if (dot == std::string::npos) return text;
  size_t end = text.find(' ');
  if (end == std::string::npos) end = text.size();
  size_t last = end;
  while (text[last - 1] == '0') --last;
  if (text[last - 1] == '.') --last;
  return text.erase(last, end - last);
}

std::string SecondsTick(double value) { return WithoutZeros(FormatSeconds(value)); }
std::string RateTick(double value) { return WithoutZeros(FormatRate(value)); }
std::string BytesTick(double value) { return WithoutZeros(FormatBytes(value)); }
std::string TimeTick(double value) { return WithoutZeros(absl::StrFormat("%.2f", value)) + " s"; }

// Place of a share on the percentile axis: every nine is as wide as the one before.
double NinesOf(double share, double count) {
  const double rest = std::max(1 - share, 1 / (2 * std::max(count, 1.0)));
  return -std::log10(rest);
}

std::string PercentTick(double nines) {
  const double percent = 100 * (1 - std::pow(10, -nines));
  const int digits = std::max(2, static_cast<int>(std::ceil(nines)));
  return WithoutZeros(absl::StrFormat("%.*f", digits, percent)) + " %";
}

// Points of the timeline, at most kMostPoints: of several that fall together, the largest value counts.
std::vector<std::pair<double, double>> Over(const std::vector<TimePoint>& timeline,
                                            const std::function<double(const TimePoint&)>& value) {
  std::vector<std::pair<double, double>> points;
  const size_t group = (timeline.size() + kMostPoints - 1) / kMostPoints;
  for (size_t i = 0; i < timeline.size(); i += group) {
    double largest = 0;
    const size_t end = std::min(i + group, timeline.size());
    for (size_t j = i; j < end; ++j) largest = std::max(largest, value(timeline[j]));
    points.emplace_back(timeline[end - 1].end, largest);
  }
  return points;
}

Chart TimeChart(const Report& report, std::string id, std::string title, std::string description) {
  Chart chart;
  chart.id = std::move(id);
  chart.title = std::move(title);
  chart.description = std::move(description);
  chart.x_name = "Time";
  chart.format_x = TimeTick;
  chart.format_y = RateTick;
  chart.shaded_until = report.warm_up_seconds;
  return chart;
}

Chart ThroughputChart(const Report& report) {
  Chart chart =
      TimeChart(report, "throughput", "Throughput",
                report.open_loop ? "RPCs a second that ended, and the calls a second that the schedule asks for."
                                 : "RPCs a second that ended.");
  const auto& timeline = report.timeline;
  chart.series.push_back({.name = "ended", .colour = 1, .points = Over(timeline, [](const TimePoint& point) {
                                                          return point.completed_rate;
                                                        })});
  if (!report.open_loop) return chart;
  chart.series.push_back(
      {.name = "schedule", .colour = 6, .dashed = true, .points = Over(timeline, [](const TimePoint& point) {
                                                          return point.intended_rate;
                                                        })});
  if (report.missed_starts > 0) {
    chart.series.push_back({.name = "missed starts", .colour = 4, .points = Over(timeline, [](const TimePoint& point) {
                                                                    return point.missed_rate;
                                                                  })});
  }
  return chart;
}

Chart LatencyChart(const Report& report) {
  Chart chart = TimeChart(report, "latency-time", "Latency over time",
                          "Of the RPCs that ended in each interval. The axis is logarithmic.");
  chart.format_y = SecondsTick;
  chart.log_y = true;
  // Intervals without calls have no latency.
  std::vector<TimePoint> busy;
  std::copy_if(report.timeline.begin(), report.timeline.end(), std::back_inserter(busy),
               [](const TimePoint& point) { return point.completed > 0; });
  chart.series.push_back(
      {.name = "median", .colour = 1, .points = Over(busy, [](const TimePoint& p) { return p.p50; })});
  chart.series.push_back(
      {.name = "99th percentile", .colour = 3, .points = Over(busy, [](const TimePoint& p) { return p.p99; })});
  chart.series.push_back(
      {.name = "maximum", .colour = 4, .dashed = true, .points = Over(busy, [](const TimePoint& p) { return p.max; })});
  return chart;
}

Chart InFlightChart(const Report& report) {
  Chart chart = TimeChart(report, "in-flight", "Calls in flight",
                          "Calls that were sent and not yet answered, at the end of each interval.");
  chart.series.push_back(
      {.name = "in flight", .colour = 2, .filled = true, .points = Over(report.timeline, [](const TimePoint& point) {
                                                           return static_cast<double>(point.in_flight);
                                                         })});
  return chart;
}

// Unexpected outcomes a second by code, stacked.
Chart ErrorChart(const Report& report) {
  Chart chart = TimeChart(report, "errors-time", "Errors by code",
                          "RPCs a second with an outcome that the profile does not expect.");
  std::map<std::string, int64_t> totals;
  for (const TimePoint& point : report.timeline) {
    for (const auto& [code, count] : point.errors) totals[code] += count;
  }
  if (totals.empty()) {
    chart.series.push_back(
        {.name = "errors", .colour = 4, .points = Over(report.timeline, [](const TimePoint&) { return 0.0; })});
    return chart;
  }
  std::vector<std::pair<std::string, int64_t>> codes(totals.begin(), totals.end());
  std::stable_sort(codes.begin(), codes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (codes.size() > kMostErrorSeries) codes.resize(kMostErrorSeries);
  static constexpr int kColours[] = {4, 3, 5, 1, 2, 6};
  std::vector<double> below;
  for (size_t i = 0; i < codes.size(); ++i) {
    Series series{.name = codes[i].first, .colour = kColours[i], .filled = true};
    series.points = Over(report.timeline, [&](const TimePoint& point) {
      const auto found = point.errors.find(series.name);
      return found == point.errors.end() ? 0.0
                                         : static_cast<double>(found->second) / std::max(point.end - point.begin, 1e-9);
    });
    below.resize(series.points.size());
    for (size_t j = 0; j < series.points.size(); ++j) {
      series.shown.push_back(series.points[j].second);
      below[j] += series.points[j].second;
      series.points[j].second = below[j];
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

Chart LatencyCurveChart(const Report& report) {
  Chart chart;
  chart.id = "latency-curve";
  chart.title = "Latency by percentile";
  chart.description =
      report.open_loop
          ? "Share of RPCs that took at most this long. Latency counts from the intended start, service "
            "time from the actual one: a gap between the two is time that calls had to wait for the service."
          : "Share of RPCs that took at most this long. To the right, ever fewer and slower RPCs.";
  chart.width = 1120;
  chart.height = 340;
  chart.log_y = true;
  chart.x_name = "Percentile";
  chart.format_x = PercentTick;
  chart.format_y = SecondsTick;
  const auto count = static_cast<double>(report.count);
  const auto points = [&](const std::vector<CurvePoint>& curve) {
    std::vector<std::pair<double, double>> out;
    out.reserve(curve.size());
    for (const CurvePoint& point : curve) out.emplace_back(NinesOf(point.share, count), point.seconds);
    return out;
  };
  chart.series.push_back({.name = "latency", .colour = 1, .points = points(report.latency_curve)});
  if (report.open_loop) {
    chart.series.push_back(
        {.name = "service time", .colour = 2, .dashed = true, .points = points(report.service_curve)});
  }
  const auto& numbers = report.server.numbers;
  if (numbers.has_value() && numbers->execute.count > 0) {
    Series server{.name = "measured by the service", .colour = 3, .dashed = true};
    for (const PercentileRow& row : kPercentiles) {
      server.points.emplace_back(NinesOf(row.share, count), numbers->execute.Quantile(row.share));
    }
    chart.series.push_back(std::move(server));
  }
  chart.x_ticks.push_back({0, "0"});
  for (const double share : {0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999}) {
    chart.x_ticks.push_back({NinesOf(share, 1e12), PercentTick(NinesOf(share, 1e12))});
  }
  return chart;
}

std::vector<Chart> TimelineCharts(const Report& report) {
  return {ThroughputChart(report), LatencyChart(report), InFlightChart(report), ErrorChart(report)};
}

std::vector<Chart> ServerCharts(const Report& report) {
  const auto& gauges = report.server.gauges;
  if (gauges.size() < 2) return {};
  Chart processor = TimeChart(report, "server-cpu", "Processor of the service", "Cores in use between two scrapes.");
  Chart memory = TimeChart(report, "server-memory", "Memory of the service", "Resident memory.");
  Chart queues =
      TimeChart(report, "server-queue", "Queues of the service",
                "Calls that are in its pipeline, that wait for a worker, and audit entries not yet committed.");
  processor.format_y = RateTick;
  memory.format_y = BytesTick;
  Series cores{.name = "cores", .colour = 3, .filled = true};
  Series resident{.name = "resident", .colour = 5, .filled = true};
  Series in_flight{.name = "in flight", .colour = 2};
  Series queue{.name = "queue", .colour = 4};
  Series audit{.name = "audit entries", .colour = 6, .dashed = true};
  for (size_t i = 0; i < gauges.size(); ++i) {
    const double at = gauges[i].seconds;
    resident.points.emplace_back(at, gauges[i].resident_bytes);
    in_flight.points.emplace_back(at, gauges[i].in_flight);
    queue.points.emplace_back(at, gauges[i].queue_length);
    audit.points.emplace_back(at, gauges[i].audit_pending);
    if (i == 0) continue;
    const double span = std::max(at - gauges[i - 1].seconds, 1e-9);
    cores.points.emplace_back(at, std::max(0.0, gauges[i].cpu_seconds - gauges[i - 1].cpu_seconds) / span);
  }
  processor.series = {std::move(cores)};
  memory.series = {std::move(resident)};
  queues.series = {std::move(in_flight), std::move(queue), std::move(audit)};
  return {std::move(processor), std::move(memory), std::move(queues)};
}

}  // namespace toolgate::cli::load::report
