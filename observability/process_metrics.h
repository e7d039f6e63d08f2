// Metrics of the operating system about this process.
#ifndef TOOLGATE_OBSERVABILITY_PROCESS_METRICS_H_
#define TOOLGATE_OBSERVABILITY_PROCESS_METRICS_H_

#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace toolgate::observability {

// Memory, CPU, threads, descriptors and start time under the names that Prometheus clients share, read from /proc at
// each scrape. Unreadable values are left out. Thread-safe.
class ProcessMetrics final : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_PROCESS_METRICS_H_
