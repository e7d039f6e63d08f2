// Name and possible label values of a metric family.
#ifndef TOOLGATE_OBSERVABILITY_METRIC_ROWS_H_
#define TOOLGATE_OBSERVABILITY_METRIC_ROWS_H_

#include <string>
#include <vector>

#include "prometheus/client_metric.h"

namespace toolgate::observability {

// All rows are fixed when the family is created, so callers cannot make it grow.
struct MetricRows {
  std::string name;
  std::string help;
  std::vector<std::string> label_names;
  std::vector<std::vector<std::string>> rows;  // One value for each label name. A single empty row without labels.
};

// Row `index` with its labels and without a value.
inline prometheus::ClientMetric LabelledMetric(const MetricRows& spec, size_t index) {
  prometheus::ClientMetric metric;
  for (size_t i = 0; i < spec.label_names.size(); ++i) {
    metric.label.push_back({spec.label_names[i], spec.rows[index][i]});
  }
  return metric;
}

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_METRIC_ROWS_H_
