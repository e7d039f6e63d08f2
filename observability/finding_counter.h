// Counts findings of layer 1.
#ifndef TOOLGATE_OBSERVABILITY_FINDING_COUNTER_H_
#define TOOLGATE_OBSERVABILITY_FINDING_COUNTER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "observability/finding.h"
#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace toolgate::observability {

// Two families: findings by tool, rule family, action and source, of which only counted series are exported, and calls
// with findings by action and source, which are exported from the start. Findings are rare, so the counters are plain
// atomics. Thread-safe.
class FindingCounter final : public prometheus::Collectable {
 public:
  // `tools` is a list of label values. Rule families that are not in `families` count as "other".
  FindingCounter(std::vector<std::string> tools, std::vector<std::string> families);

  // Counts the findings of one call; `tool` is an index into the tools.
  void Count(size_t tool, std::span<const CallFinding> findings);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  size_t FamilyIndex(std::string_view family) const;

  const std::vector<std::string> tools_;
  const std::vector<std::string> families_;     // The last one is "other".
  std::vector<std::atomic<int64_t>> findings_;  // By tool, then family, then action and source.
  std::vector<std::atomic<int64_t>> calls_;     // By action and source.
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_FINDING_COUNTER_H_
