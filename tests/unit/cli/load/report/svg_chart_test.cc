#include "cli/load/report/svg_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace toolgate::cli::load::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Chart Example() {
  Chart chart;
  chart.id = "c";
  chart.title = "Title <1>";
  chart.description = "Text & more";
  chart.x_name = "Time";
  chart.format_x = [](double x) { return absl::StrCat(x, " s"); };
  chart.format_y = [](double y) { return absl::StrCat(y, " ms"); };
  return chart;
}

TEST(EscapeHtmlTest, EscapesMarkupAndControls) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(EscapeHtml(std::string("a\x01\x7f\n\tb", 6)), "a  \n\tb");
  EXPECT_EQ(EscapeHtml("µ–"), "µ–");
}

TEST(ChartTest, ShowsSeriesAxesAndData) {
  Chart chart = Example();
  chart.series = {{.name = "one", .colour = 1, .points = {{0, 1}, {1, 3}, {2, 2}}},
                  {.name = "two <b>", .colour = 2, .dashed = true, .points = {{0, 10}, {2, 20}}}};
  chart.shaded_until = 1;
  const std::string html = RenderChart(chart);
  EXPECT_THAT(html, AllOf(HasSubstr("Title &lt;1&gt;"), HasSubstr("Text &amp; more"), HasSubstr("two &lt;b&gt;"),
                          HasSubstr("class=\"line s1\""), HasSubstr("class=\"line s2 dash\""), HasSubstr("warm-up"),
                          HasSubstr("role=\"img\""), HasSubstr("<td>3 ms</td>"), Not(HasSubstr("nan")),
                          Not(HasSubstr("two <b>"))));
}

TEST(ChartTest, SaysThatNothingWasMeasured) {
  Chart chart = Example();
  chart.series = {{.name = "one", .points = {}}};
  EXPECT_THAT(RenderChart(chart), AllOf(HasSubstr("Nothing was measured"), Not(HasSubstr("<svg"))));
}

// Extreme values must not give coordinates that no browser reads.
TEST(ChartTest, EveryCoordinateIsANumber) {
  for (const bool log_y : {false, true}) {
    for (const double y : {0.0, 1e-9, 5.0, 1e12}) {
      Chart chart = Example();
      chart.log_y = log_y;
      chart.series = {{.name = "one", .filled = true, .points = {{3, y}}}, {.name = "two", .points = {{3, y}, {3, y}}}};
      const std::string html = RenderChart(chart);
      EXPECT_THAT(html, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf")), HasSubstr("<svg"))) << y;
      EXPECT_LT(html.size(), 40'000u) << y << " " << log_y;
    }
  }
}

TEST(ChartTest, ManyPointsStaySmall) {
  Chart chart = Example();
  chart.series = {{.name = "one", .points = {}}};
  for (int i = 0; i < 100'000; ++i) chart.series[0].points.emplace_back(i, i % 100);
  EXPECT_LT(RenderChart(chart).size(), 2'000'000u);
}

}  // namespace
}  // namespace toolgate::cli::load::report
