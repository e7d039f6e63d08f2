#include "services/app/longest_bodies.h"

#include "common/absl_bridge.h"

namespace toolgate::services::app {

LongestBodies::LongestBodies(const std::vector<std::string>& tool_ids) : ids_{""}, longest_ns_(tool_ids.size() + 1) {
  for (const std::string& id : tool_ids) {
    rows_.emplace(id, ids_.size());
    ids_.push_back(id);
  }
}

void LongestBodies::Note(std::string_view tool_id, absl::Duration duration) {
  const auto found = rows_.find(ToAbsl(tool_id));
  std::atomic<int64_t>& longest = longest_ns_[found == rows_.end() ? 0 : found->second];
  const int64_t now = absl::ToInt64Nanoseconds(duration);
  int64_t before = longest.load(std::memory_order_relaxed);
  while (before < now && !longest.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
}

observability::SampledMetric LongestBodies::Metric() const {
  observability::SampledMetric metric;
  metric.rows = {"toolgate_store_longest_body_seconds",
                 "The longest part of a mutation for which all others waited, since the start.",
                 {"tool"},
                 {}};
  for (const std::string& id : ids_) metric.rows.rows.push_back({id});
  metric.read = [this] {
    std::vector<double> values;
    values.reserve(longest_ns_.size());
    for (const std::atomic<int64_t>& longest : longest_ns_) {
      values.push_back(static_cast<double>(longest.load(std::memory_order_relaxed)) / 1e9);
    }
    return values;
  };
  return metric;
}

}  // namespace toolgate::services::app
