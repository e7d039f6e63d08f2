#include "cli/load/report/svg_chart.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace toolgate::cli::load::report {
namespace {

constexpr double kLeft = 66;
constexpr double kRight = 14;
constexpr double kTop = 10;
constexpr double kBottom = 28;
// Distance in view box units below which two points look like one.
constexpr double kSamePlace = 0.35;
constexpr size_t kMostTableRows = 60;
constexpr size_t kMostHitAreas = 160;

// 1, 2 or 5 times a power of ten, at least `value`.
double NiceStep(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (value <= factor * power * 1.0001) return factor * power;
  }
  return 10 * power;
}

// Maps values to places in the view box.
class Scale {
 public:
  explicit Scale(const Chart& chart) : chart_(chart) {
    for (const Series& series : chart.series) {
      for (const auto& [x, y] : series.points) Include(x, y);
    }
    if (!chart.x_ticks.empty()) x_low_ = std::min(x_low_, chart.x_ticks.front().at);
    if (x_high_ <= x_low_) x_high_ = x_low_ + 1;
    if (y_low_ > y_high_) y_low_ = 1;  // No value above 0.
    if (chart.log_y) {
      y_low_ = std::pow(10, std::floor(std::log10(y_low_) * 3 + 1e-9) / 3);
      y_high_ = std::max(y_high_ * 1.1, y_low_ * 4);
    } else {
      y_low_ = 0;
      y_high_ = y_high_ > 0 ? y_high_ * 1.06 : 1;
    }
  }

  double X(double x) const { return kLeft + (x - x_low_) / (x_high_ - x_low_) * (chart_.width - kLeft - kRight); }
  double Y(double y) const {
    const double share = chart_.log_y ? std::log(std::max(y, y_low_) / y_low_) / std::log(y_high_ / y_low_)
                                      : (y - y_low_) / (y_high_ - y_low_);
    return bottom() - share * (bottom() - kTop);
  }
  double bottom() const { return chart_.height - kBottom; }
  double right() const { return chart_.width - kRight; }

  std::vector<double> YTicks() const {
    std::vector<double> ticks;
    if (!chart_.log_y) {
      const double step = NiceStep(y_high_ / 5);
      for (int i = 0; i * step <= y_high_; ++i) ticks.push_back(i * step);
      return ticks;
    }
    const bool many = y_high_ / y_low_ > 300;
    for (int decade = static_cast<int>(std::floor(std::log10(y_low_))); std::pow(10, decade) <= y_high_; ++decade) {
      const double power = std::pow(10, decade);
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double y = power * factor;
        if (y >= y_low_ * 0.999 && y <= y_high_ && (!many || factor == 1.0)) ticks.push_back(y);
      }
    }
    return ticks;
  }

  std::vector<Tick> XTicks() const {
    std::vector<Tick> ticks;
    if (!chart_.x_ticks.empty()) {
      std::copy_if(chart_.x_ticks.begin(), chart_.x_ticks.end(), std::back_inserter(ticks),
                   [&](const Tick& tick) { return tick.at <= x_high_ * 1.0001; });
      return ticks;
    }
    const double step = NiceStep((x_high_ - x_low_) / 7);
    const double first = std::ceil(x_low_ / step);
    for (int i = 0; (first + i) * step <= x_high_; ++i) {
      const double x = (first + i) * step;
      ticks.push_back({x, chart_.format_x(x)});
    }
    return ticks;
  }

 private:
  void Include(double x, double y) {
    x_low_ = std::min(x_low_, x);
    x_high_ = std::max(x_high_, x);
    y_high_ = std::max(y_high_, y);
    if (y > 0) y_low_ = std::min(y_low_, y);
  }

  const Chart& chart_;
  double x_low_ = std::numeric_limits<double>::max();
  double x_high_ = std::numeric_limits<double>::lowest();
  double y_low_ = std::numeric_limits<double>::max();
  double y_high_ = 0;
};

std::string Grid(const Chart& chart, const Scale& scale) {
  std::string svg;
  if (chart.shaded_until > 0) {
    const double end = std::min(scale.X(chart.shaded_until), scale.right());
    absl::StrAppendFormat(&svg, "<rect class=\"warm\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", kLeft,
                          kTop, std::max(0.0, end - kLeft), scale.bottom() - kTop);
    if (end - kLeft > 56) {
      absl::StrAppendFormat(&svg, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\">warm-up</text>", kLeft + 5, kTop + 14);
    }
  }
  for (const double y : scale.YTicks()) {
    absl::StrAppendFormat(&svg, "<line class=\"rule\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", kLeft,
                          scale.Y(y), scale.right(), scale.Y(y));
    absl::StrAppendFormat(&svg, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>", kLeft - 8,
                          scale.Y(y) + 4, EscapeHtml(chart.format_y(y)));
  }
  for (const Tick& tick : scale.XTicks()) {
    absl::StrAppendFormat(&svg, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                          scale.X(tick.at), scale.bottom(), scale.X(tick.at), scale.bottom() + 4);
    absl::StrAppendFormat(&svg, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>",
                          scale.X(tick.at), scale.bottom() + 18, EscapeHtml(tick.label));
  }
  absl::StrAppendFormat(&svg, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", kLeft,
                        scale.bottom(), scale.right(), scale.bottom());
  return svg;
}

std::string Line(const Series& series, const Scale& scale) {
  std::string path;
  double last_x = -1e9;
  double last_y = -1e9;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const double x = scale.X(series.points[i].first);
    const double y = scale.Y(series.points[i].second);
    const bool same = std::abs(x - last_x) < kSamePlace && std::abs(y - last_y) < kSamePlace;
    if (same && i + 1 < series.points.size()) continue;
    absl::StrAppendFormat(&path, "%s%.1f %.1f", path.empty() ? "M" : "L", x, y);
    last_x = x;
    last_y = y;
  }
  if (path.empty()) return "";
  std::string svg;
  if (series.filled) {
    absl::StrAppendFormat(&svg, "<path class=\"area s%d\" d=\"%sL%.1f %.1fL%.1f %.1fZ\"/>", series.colour, path, last_x,
                          scale.bottom(), scale.X(series.points.front().first), scale.bottom());
  }
  if (series.points.size() == 1) {
    return absl::StrFormat("<circle class=\"dot s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", series.colour, last_x,
                           last_y);
  }
  absl::StrAppendFormat(&svg, "<path class=\"line s%d%s\" d=\"%s\"/>", series.colour, series.dashed ? " dash" : "",
                        path);
  return svg;
}

double ShownAt(const Series& series, size_t index) {
  return series.shown.empty() ? series.points[index].second : series.shown[index];
}

// Values of all series at a point of the first one. Series of one chart have the same x, or the nearest before it.
std::string ValuesAt(const Chart& chart, double x, std::string_view between) {
  std::string text;
  for (const Series& series : chart.series) {
    const auto after = std::upper_bound(series.points.begin(), series.points.end(), x + 1e-9,
                                        [](double value, const auto& point) { return value < point.first; });
    if (after == series.points.begin()) continue;
    const auto index = static_cast<size_t>(after - series.points.begin()) - 1;
    absl::StrAppendFormat(&text, "%s%s: %s", std::string(between), series.name, chart.format_y(ShownAt(series, index)));
  }
  return text;
}

// Invisible areas that show the values when the pointer rests on them.
std::string HitAreas(const Chart& chart, const Scale& scale) {
  std::string svg = "<g class=\"hits\">";
  const auto& points = chart.series.front().points;
  const size_t step = std::max<size_t>(1, points.size() / kMostHitAreas);
  double left = kLeft;
  for (size_t i = 0; i < points.size(); i += step) {
    const size_t next = std::min(i + step, points.size() - 1);
    const double right = (scale.X(points[i].first) + scale.X(points[next].first)) / 2 + (next == i ? 5 : 0);
    absl::StrAppendFormat(&svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s%s</title></rect>",
                          left, kTop, std::max(right - left, 0.1), scale.bottom() - kTop,
                          EscapeHtml(chart.format_x(points[i].first)),
                          EscapeHtml(ValuesAt(chart, points[i].first, "\n")));
    left = right;
  }
  return svg + "</g>";
}

std::string Legend(const Chart& chart) {
  std::string html = "<ul class=\"legend\">";
  for (const Series& series : chart.series) {
    absl::StrAppend(&html, "<li><span class=\"key s", series.colour, series.dashed ? " dash" : "", "\"></span>",
                    EscapeHtml(series.name), "</li>");
  }
  return html + "</ul>";
}

std::string DataTable(const Chart& chart) {
  const auto& points = chart.series.front().points;
  std::string html = absl::StrCat(
      "<details class=\"data\"><summary>Data as a table</summary><div class=\"scroll\"><table><thead><tr><th>",
      EscapeHtml(chart.x_name), "</th>");
  for (const Series& series : chart.series) absl::StrAppend(&html, "<th>", EscapeHtml(series.name), "</th>");
  html += "</tr></thead><tbody>";
  const size_t step = (points.size() + kMostTableRows - 1) / kMostTableRows;
  for (size_t i = 0; i < points.size(); i += std::max<size_t>(step, 1)) {
    absl::StrAppend(&html, "<tr><td>", EscapeHtml(chart.format_x(points[i].first)), "</td>");
    for (const Series& series : chart.series) {
      Chart one;
      one.format_y = chart.format_y;
      one.series = {series};
      one.series.front().name.clear();
      std::string value = ValuesAt(one, points[i].first, "");
      absl::StrAppend(&html, "<td>", value.size() > 2 ? EscapeHtml(value.substr(2)) : "–", "</td>");
    }
    html += "</tr>";
  }
  return html + "</tbody></table></div></details>";
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f ? ' ' : c;
    }
  }
  return html;
}

std::string RenderChart(const Chart& chart) {
  const bool empty =
      std::all_of(chart.series.begin(), chart.series.end(), [](const Series& series) { return series.points.empty(); });
  std::string html =
      absl::StrCat("<figure class=\"chart\" id=\"", chart.id, "\"><figcaption><h3>", EscapeHtml(chart.title),
                   "</h3><p>", EscapeHtml(chart.description), "</p></figcaption>");
  if (empty) return html + "<p class=\"none\">Nothing was measured.</p></figure>";
  const Scale scale(chart);
  absl::StrAppend(&html, Legend(chart));
  absl::StrAppendFormat(&html,
                        "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s-t %s-d\">"
                        "<title id=\"%s-t\">%s</title><desc id=\"%s-d\">%s</desc>",
                        chart.width, chart.height, chart.id, chart.id, chart.id, EscapeHtml(chart.title), chart.id,
                        EscapeHtml(chart.description));
  html += Grid(chart, scale);
  // The first series lies on top.
  for (auto series = chart.series.rbegin(); series != chart.series.rend(); ++series) html += Line(*series, scale);
  absl::StrAppend(&html, HitAreas(chart, scale), "</svg>", DataTable(chart), "</figure>");
  return html;
}

}  // namespace toolgate::cli::load::report
