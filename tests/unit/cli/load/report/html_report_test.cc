#include "cli/load/report/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/cli/load/report/example_report.h"

namespace toolgate::cli::load::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(HtmlReportTest, ShowsEachPart) {
  const std::string html = HtmlReport(ExampleReport());
  for (const char* part :
       {"<!DOCTYPE html>", "1 of 2 thresholds not met", "Read with care", "id=\"latency-curve\"", "id=\"throughput\"",
        "id=\"latency-time\"", "id=\"in-flight\"", "id=\"errors-time\"", "RATE_LIMITED", "127.0.0.1:2",
        "99.99th percentile", "service time", "Late starts", "How to read this", "Not scraped", "<td>not met</td>"}) {
    const std::string wanted = std::string(part) == "<td>not met</td>" ? "<td class=\"bad\">not met</td>" : part;
    EXPECT_THAT(html, HasSubstr(wanted));
  }
  EXPECT_THAT(html, Not(HasSubstr("nan")));
}

TEST(HtmlReportTest, EscapesTextFromOutside) {
  const std::string html = HtmlReport(ExampleReport("<script>alert(1)</script>\" onload='x'"));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("onload='x'")), HasSubstr("&lt;script&gt;")));
}

TEST(HtmlReportTest, LoadsNothing) {
  const std::string html = HtmlReport(ExampleReport());
  EXPECT_THAT(html, AllOf(HasSubstr("default-src 'none'"), Not(HasSubstr("http://")), Not(HasSubstr("https://")),
                          Not(HasSubstr("@import")), Not(HasSubstr("url("))));
}

TEST(HtmlReportTest, ShowsTheServiceBesideTheClient) {
  Report report = ExampleReport();
  report.server.urls = {"127.0.0.1:9464"};
  server_metrics::ServerNumbers numbers;
  numbers.version = "9.9";
  numbers.seconds = 10;
  numbers.cpu_seconds = 12;
  numbers.execute.cumulative = {{0.1, 900}, {1, 1000}};
  numbers.execute.count = 1000;
  numbers.tools.push_back({"get_block", numbers.execute, {{"OK", 1000}}});
  numbers.layers.push_back({"param_validation", 1000, 0.5});
  numbers.rejections["rate_limit: RATE_LIMITED"] = 10;
  report.server.numbers = numbers;
  report.server.gauges = {{.seconds = 0}, {.seconds = 1, .cpu_seconds = 1, .resident_bytes = 1e7}};
  const std::string html = HtmlReport(report);
  for (const char* part : {"param_validation", "1.20 cores", "rate_limit: RATE_LIMITED 10", "id=\"server-cpu\"",
                           "measured by the service", "9.9"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
}

TEST(HtmlReportTest, AnEmptyRunIsShownToo) {
  Report report;
  AddWarnings(report);
  EXPECT_THAT(HtmlReport(report), AllOf(HasSubstr("No call was measured"), HasSubstr("Nothing was measured"),
                                        HasSubstr("no thresholds given")));
}

}  // namespace
}  // namespace toolgate::cli::load::report
