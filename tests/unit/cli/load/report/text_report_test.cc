#include "cli/load/report/text_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/support/fake_clock.h"
#include "tests/unit/cli/load/report/example_report.h"

namespace toolgate::cli::load::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Written(const Report& report, bool at_terminal = false) {
  std::istringstream in;
  std::ostringstream out, err;
  const testing::FakeClock clock;
  const Terminal terminal{in, out, err, at_terminal, at_terminal, at_terminal, 100, nullptr, clock};
  return TextReport(report, terminal);
}

TEST(TextReportTest, ShowsNumbersThresholdsAndWarnings) {
  const std::string text = Written(ExampleReport());
  EXPECT_THAT(text, AllOf(HasSubstr("1,010 RPCs in 10.0 s, 101/s, 10 errors (0.99 %), 0 missed starts"),
                          HasSubstr("get_block"), HasSubstr("all, service time"), HasSubstr("RATE_LIMITED"),
                          HasSubstr("NOT MET  errors<0.1%  measured 0.99 %"), HasSubstr("met  p99<2s"),
                          HasSubstr("warning: "), HasSubstr("Seed 42")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(TextReportTest, TextFromOutsideCannotControlTheTerminal) {
  EXPECT_THAT(Written(ExampleReport("\x1b[31mred"), true), Not(HasSubstr("\x1b[31mred")));
}

}  // namespace
}  // namespace toolgate::cli::load::report
