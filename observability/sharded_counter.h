// Counters that many threads increment concurrently.
#ifndef TOOLGATE_OBSERVABILITY_SHARDED_COUNTER_H_
#define TOOLGATE_OBSERVABILITY_SHARDED_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "observability/metric_rows.h"
#include "observability/sharded_cells.h"
#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace toolgate::observability {

// A family of counters, or of gauges that only go up and down by steps (kGauge). Thread-safe; Add takes no lock and
// allocates nothing.
class ShardedCounter final : public prometheus::Collectable {
 public:
  enum class Kind { kCounter, kGauge };
  // True if rows without a count are exported. A family with many combinations of labels leaves them out, but for those
  // of `from_start`.
  enum class Unused { kExport, kOmit };

  explicit ShardedCounter(MetricRows spec, Unused unused = Unused::kExport, Kind kind = Kind::kCounter,
                          const std::vector<size_t>& from_start = {})
      : spec_(std::move(spec)),
        omit_(spec_.rows.size(), unused == Unused::kOmit),
        kind_(kind),
        cells_(spec_.rows.size()) {
    for (const size_t row : from_start) omit_[row] = false;
  }

  // `row` is an index into the rows of the constructor.
  void Add(size_t row, int64_t by = 1) { cells_.Add(row, by); }
  int64_t Value(size_t row) const { return cells_.Sum(row); }

  std::vector<prometheus::MetricFamily> Collect() const override {
    const bool counter = kind_ == Kind::kCounter;
    prometheus::MetricFamily family{
        spec_.name, spec_.help, counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge, {}};
    for (size_t row = 0; row < cells_.count(); ++row) {
      const auto value = static_cast<double>(Value(row));
      if (value == 0 && omit_[row]) continue;
      prometheus::ClientMetric metric = LabelledMetric(spec_, row);
      (counter ? metric.counter.value : metric.gauge.value) = value;
      family.metric.push_back(std::move(metric));
    }
    return {std::move(family)};
  }

 private:
  const MetricRows spec_;
  std::vector<bool> omit_;  // By row: left out while it is 0.
  const Kind kind_;
  ShardedCells cells_;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_SHARDED_COUNTER_H_
