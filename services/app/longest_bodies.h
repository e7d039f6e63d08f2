#ifndef TOOLGATE_SERVICES_APP_LONGEST_BODIES_H_
#define TOOLGATE_SERVICES_APP_LONGEST_BODIES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "observability/sampled_metric.h"

namespace toolgate::services::app {

// For each tool the longest time that one of its transactions held up all others. Thread-safe.
class LongestBodies {
 public:
  explicit LongestBodies(const std::vector<std::string>& tool_ids);

  // Counts for the service itself if there is no such tool.
  void Note(std::string_view tool_id, absl::Duration duration);
  // Borrows this.
  observability::SampledMetric Metric() const;

 private:
  std::vector<std::string> ids_;  // The first is that of the service itself, "".
  absl::flat_hash_map<std::string, size_t> rows_;
  std::vector<std::atomic<int64_t>> longest_ns_;
};

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_LONGEST_BODIES_H_
