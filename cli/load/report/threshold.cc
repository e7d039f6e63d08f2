#include "cli/load/report/threshold.h"

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/load/report/format.h"
#include "common/absl_bridge.h"
#include "common/duration_text.h"

namespace toolgate::cli::load::report {
namespace {

absl::Status Invalid(std::string_view text, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("threshold \"", ToAbsl(text), "\": ", ToAbsl(what),
                   "; write for example p99<50ms, errors<0.1%, rate>1000/s, missed<=0 or get_block.p99.9<20ms"));
}

std::string_view Trimmed(std::string_view text) { return FromAbsl(absl::StripAsciiWhitespace(ToAbsl(text))); }

bool ReadNumber(std::string_view text, double& number) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
  return digits && absl::SimpleAtod(ToAbsl(text), &number);
}

}  // namespace

struct Threshold::Values {
  stats::Histogram latency;
  int64_t count = 0;
  int64_t unexpected = 0;
  double rate = 0;
  int64_t missed = 0;
};

bool Threshold::ParseMetric(std::string_view name, Threshold& out) {
  static constexpr std::array<std::pair<std::string_view, Metric>, 7> kMetrics = {{{"min", Metric::kMin},
                                                                                   {"mean", Metric::kMean},
                                                                                   {"max", Metric::kMax},
                                                                                   {"errors", Metric::kErrors},
                                                                                   {"rate", Metric::kRate},
                                                                                   {"count", Metric::kCount},
                                                                                   {"missed", Metric::kMissed}}};
  for (const auto& [metric_name, metric] : kMetrics) {
    if (metric_name != name) continue;
    out.metric_ = metric;
    return true;
  }
  double percent = 0;
  if (!name.starts_with('p') || !ReadNumber(name.substr(1), percent) || percent > 100) return false;
  out.metric_ = Metric::kQuantile;
  out.share_ = percent / 100;
  return true;
}

absl::StatusOr<Threshold> Threshold::Parse(std::string_view text) {
  const size_t at = text.find_first_of("<>");
  if (at == std::string_view::npos) return Invalid(text, "no comparison <, <=, > or >=");
  Threshold out;
  out.text_ = text;
  out.comparison_ = text.substr(at, text.substr(at + 1).starts_with('=') ? 2 : 1);
  const std::string_view left = Trimmed(text.substr(0, at));
  std::string_view right = Trimmed(text.substr(at + out.comparison_.size()));
  // The name of a step may contain dots, and so may a percentile: the longest metric at the end counts.
  bool found = ParseMetric(left, out);
  for (size_t dot = left.find('.'); !found && dot != std::string_view::npos; dot = left.find('.', dot + 1)) {
    found = dot > 0 && ParseMetric(left.substr(dot + 1), out);
    if (found) out.step_ = left.substr(0, dot);
  }
  if (!found)
    return Invalid(text, "unknown metric; there are p50 and so on, min, mean, max, errors, rate, count, missed");
  if (out.metric_ == Metric::kMissed && !out.step_.empty()) return Invalid(text, "missed is of the whole run");
  bool good = false;
  if (out.metric_ == Metric::kErrors) {
    good = right.ends_with('%') && ReadNumber(Trimmed(right.substr(0, right.size() - 1)), out.bound_);
    out.bound_ /= 100;
    if (!good) return Invalid(text, "errors need a share in %");
  } else if (out.metric_ >= Metric::kRate) {
    if (out.metric_ == Metric::kRate && right.ends_with("/s")) right.remove_suffix(2);
    if (!ReadNumber(right, out.bound_)) return Invalid(text, "needs a number");
  } else {
    const std::optional<absl::Duration> duration = ParseDurationText(right);
    if (!duration.has_value()) return Invalid(text, "needs a duration such as 50ms");
    out.bound_ = absl::ToDoubleSeconds(*duration);
  }
  return out;
}

double Threshold::Measure(const Values& values) const {
  const auto nanos = [&]() -> double {
    if (metric_ == Metric::kMin) return static_cast<double>(values.latency.min());
    if (metric_ == Metric::kMean) return values.latency.mean();
    if (metric_ == Metric::kMax) return static_cast<double>(values.latency.max());
    return static_cast<double>(values.latency.Quantile(share_));
  };
  switch (metric_) {
    case Metric::kErrors:
      return values.count == 0 ? 0 : static_cast<double>(values.unexpected) / static_cast<double>(values.count);
    case Metric::kRate:
      return values.rate;
    case Metric::kCount:
      return static_cast<double>(values.count);
    case Metric::kMissed:
      return static_cast<double>(values.missed);
    default:
      return nanos() * 1e-9;
  }
}

std::string Threshold::Format(double value) const {
  if (metric_ == Metric::kErrors) return FormatPercent(value);
  if (metric_ == Metric::kRate) return FormatRate(value) + "/s";
  if (metric_ > Metric::kRate) return FormatCount(static_cast<int64_t>(value));
  return FormatSeconds(value);
}

ThresholdRow Threshold::Check(const Report& report) const {
  Values values;
  for (const OperationRow& row : report.operations) {
    if (!step_.empty() && row.name != step_ && row.tool != step_) continue;
    values.latency.Merge(row.latency_histogram);
    values.count += row.count;
    values.unexpected += row.unexpected;
    values.rate += row.rate;
  }
  values.missed = report.missed_starts;
  ThresholdRow row;
  row.text = text_;
  if (values.count == 0) {
    row.actual = "no calls";
    return row;
  }
  const double value = Measure(values);
  row.actual = Format(value);
  row.passed = comparison_ == "<"    ? value < bound_
               : comparison_ == "<=" ? value <= bound_
               : comparison_ == ">"  ? value > bound_
                                     : value >= bound_;
  return row;
}

}  // namespace toolgate::cli::load::report
