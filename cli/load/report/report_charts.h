// Charts of the HTML report.
#ifndef TOOLGATE_CLI_LOAD_REPORT_REPORT_CHARTS_H_
#define TOOLGATE_CLI_LOAD_REPORT_REPORT_CHARTS_H_

#include <vector>

#include "cli/load/report/report.h"
#include "cli/load/report/svg_chart.h"

namespace toolgate::cli::load::report {

// Latency by percentile, the percentiles on an axis that widens towards 100 %.
Chart LatencyCurveChart(const Report& report);

// Throughput, latency, calls in flight and errors over time.
std::vector<Chart> TimelineCharts(const Report& report);

// Processor and memory of the service, and its queues. Empty without scrapes.
std::vector<Chart> ServerCharts(const Report& report);

}  // namespace toolgate::cli::load::report

#endif  // TOOLGATE_CLI_LOAD_REPORT_REPORT_CHARTS_H_
