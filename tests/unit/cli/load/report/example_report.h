// A report with something in each part, made of real counts.
#ifndef TOOLGATE_TESTS_UNIT_CLI_LOAD_REPORT_EXAMPLE_REPORT_H_
#define TOOLGATE_TESTS_UNIT_CLI_LOAD_REPORT_EXAMPLE_REPORT_H_

#include <string>

#include "cli/load/report/report.h"
#include "cli/load/report/threshold.h"

namespace toolgate::cli::load::report {

// 1,000 reads of 1 to 1,000 ms latency and half that service time, and 10 refused writes; ten seconds.
inline Report ExampleReport(const std::string& outside = "from outside") {
  stats::Tally tally(2, 2);
  const auto result = [](size_t operation, int64_t millis) {
    stats::Result made;
    made.operation = operation;
    made.target = static_cast<size_t>(millis) % 2;
    made.started = millis * 500'000;
    made.ended = millis * 1'000'000;
    return made;
  };
  for (int64_t millis = 1; millis <= 1000; ++millis) tally.Add(result(0, millis));
  for (int64_t millis = 1; millis <= 10; ++millis) {
    stats::Result refused = result(1, millis);
    refused.outcome = {stats::OutcomeKind::kRefused, "RATE_LIMITED", "RESOURCE_EXHAUSTED"};
    refused.expected = false;
    refused.message = outside;
    tally.Add(refused);
  }
  tally.start_lag.Record(20'000);
  Report report;
  report.version = "0.1.0";
  report.command_line = "toolgate load " + outside;
  report.profile = outside;
  report.description = outside;
  report.load = "Open loop, even arrivals, 100 calls a second";
  report.open_loop = true;
  report.seed = 42;
  report.warm_up_seconds = 1;
  report.measured_seconds = 10;
  report.targets_given = {"127.0.0.1:1", "127.0.0.1:2"};
  report.harness.threads = 1;
  report.harness.processors = 2;
  for (int i = 0; i < 11; ++i) {
    stats::Interval interval;
    interval.begin = i;
    interval.end = i + 1;
    interval.warm_up = i == 0;
    interval.Add(result(0, 10 + i));
    if (i == 5) interval.errors[outside] = 10;
    report.timeline.push_back(PointOf(interval, 100));
  }
  FillFromTally(tally, {"get_block", outside}, {"get_block", "create_block"}, report.targets_given, report);
  report.thresholds = {Threshold::Parse("p99<2s")->Check(report), Threshold::Parse("errors<0.1%")->Check(report)};
  AddWarnings(report);
  return report;
}

}  // namespace toolgate::cli::load::report

#endif  // TOOLGATE_TESTS_UNIT_CLI_LOAD_REPORT_EXAMPLE_REPORT_H_
