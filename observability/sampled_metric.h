// A metric whose values are read when metrics are requested.
#ifndef TOOLGATE_OBSERVABILITY_SAMPLED_METRIC_H_
#define TOOLGATE_OBSERVABILITY_SAMPLED_METRIC_H_

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "observability/metric_rows.h"
#include "prometheus/metric_family.h"
#include "prometheus/metric_type.h"

namespace toolgate::observability {

// For values that some part keeps anyway: its places in use, its own counts. The part states the rows once; all of them
// are always exported.
struct SampledMetric {
  enum class Kind { kGauge, kCounter };

  MetricRows rows;
  Kind kind = Kind::kGauge;
  // One value for each row, in their order. Thread-safe, and quick: nothing that waits for a disk or a network.
  std::function<std::vector<double>()> read;
};

inline prometheus::MetricFamily Sample(const SampledMetric& metric) {
  const bool counter = metric.kind == SampledMetric::Kind::kCounter;
  prometheus::MetricFamily family{metric.rows.name,
                                  metric.rows.help,
                                  counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge,
                                  {}};
  const std::vector<double> values = metric.read();
  for (size_t row = 0; row < metric.rows.rows.size() && row < values.size(); ++row) {
    prometheus::ClientMetric sample = LabelledMetric(metric.rows, row);
    (counter ? sample.counter.value : sample.gauge.value) = values[row];
    family.metric.push_back(std::move(sample));
  }
  return family;
}

// A metric without labels.
inline SampledMetric SampledValue(std::string name, std::string help, std::function<double()> read,
                                  SampledMetric::Kind kind = SampledMetric::Kind::kGauge) {
  return {{std::move(name), std::move(help), {}, {{}}}, kind, [read = std::move(read)] {
            return std::vector<double>{read()};
          }};
}

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_SAMPLED_METRIC_H_
