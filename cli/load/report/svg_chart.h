// Line charts as inline SVG.
#ifndef TOOLGATE_CLI_LOAD_REPORT_SVG_CHART_H_
#define TOOLGATE_CLI_LOAD_REPORT_SVG_CHART_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toolgate::cli::load::report {

// `text` with the five characters that HTML gives a meaning, and all control characters, escaped.
std::string EscapeHtml(std::string_view text);

struct Series {
  std::string name = {};
  int colour = 1;  // 1 to 6: a colour of the style sheet.
  bool dashed = false;
  bool filled = false;                                 // The area below the line, too.
  std::vector<std::pair<double, double>> points = {};  // In ascending order of x.
  // Values to show instead of those drawn, as for stacked areas; empty, or one for each point.
  std::vector<double> shown = {};
};

struct Tick {
  double at;
  std::string label;
};

struct Chart {
  std::string id;           // Unique on the page.
  std::string title;        // For people and screen readers.
  std::string description;  // Its content and how to read it.
  int width = 560;          // In the units of the view box: about pixels.
  int height = 270;
  bool log_y = false;
  std::vector<Tick> x_ticks;                    // Empty: chosen by the chart.
  std::function<std::string(double)> format_x;  // For ticks and data tables.
  std::function<std::string(double)> format_y;
  std::string x_name;       // Heading of the x column in the data table.
  double shaded_until = 0;  // Shades the plot from its left edge, for the warm-up.
  std::vector<Series> series;
};

// A figure with title, legend, plot and, folded in, the same data as a table. A chart without points says so.
std::string RenderChart(const Chart& chart);

}  // namespace toolgate::cli::load::report

#endif  // TOOLGATE_CLI_LOAD_REPORT_SVG_CHART_H_
