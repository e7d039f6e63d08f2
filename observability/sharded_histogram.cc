#include "observability/sharded_histogram.h"

#include <limits>
#include <utility>

namespace toolgate::observability {
namespace {

constexpr int64_t kMicrosecond = 1'000;
constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1'000'000'000;

}  // namespace

ShardedHistogram::ShardedHistogram(MetricRows spec, std::vector<int64_t> bounds, int64_t units)
    : spec_(std::move(spec)),
      bounds_(std::move(bounds)),
      units_(static_cast<double>(units)),
      cells_per_row_(bounds_.size() + 2),
      cells_(spec_.rows.size() * cells_per_row_) {
  for (size_t width = 0; width < kWidths; ++width) {
    const uint64_t smallest = width == 0 ? 0 : uint64_t{1} << (width - 1);
    size_t bucket = 0;
    while (bucket < bounds_.size() && smallest > static_cast<uint64_t>(bounds_[bucket])) ++bucket;
    first_bucket_[width] = static_cast<uint8_t>(bucket);
  }
}

std::vector<prometheus::MetricFamily> ShardedHistogram::Collect() const {
  prometheus::MetricFamily family{spec_.name, spec_.help, prometheus::MetricType::Histogram, {}};
  for (size_t row = 0; row < spec_.rows.size(); ++row) {
    const size_t first = row * cells_per_row_;
    prometheus::ClientMetric metric = LabelledMetric(spec_, row);
    uint64_t count = 0;
    for (size_t bucket = 0; bucket <= bounds_.size(); ++bucket) {
      count += static_cast<uint64_t>(cells_.Sum(first + 1 + bucket));
      const double bound = bucket < bounds_.size() ? static_cast<double>(bounds_[bucket]) / units_
                                                   : std::numeric_limits<double>::infinity();
      metric.histogram.bucket.push_back({count, bound});
    }
    metric.histogram.sample_count = count;
    metric.histogram.sample_sum = static_cast<double>(cells_.Sum(first)) / units_;
    family.metric.push_back(std::move(metric));
  }
  return {std::move(family)};
}

std::vector<int64_t> FineBounds() {
  return {1 * kMicrosecond,  2 * kMicrosecond,   5 * kMicrosecond,   10 * kMicrosecond,   25 * kMicrosecond,
          50 * kMicrosecond, 100 * kMicrosecond, 250 * kMicrosecond, 1 * kMillisecond,    5 * kMillisecond,
          25 * kMillisecond, 100 * kMillisecond, 500 * kMillisecond, 2500 * kMillisecond, 10 * kSecond};
}

std::vector<int64_t> CoarseBounds() {
  return {50 * kMicrosecond,   100 * kMicrosecond, 250 * kMicrosecond, 500 * kMicrosecond, 1 * kMillisecond,
          2500 * kMicrosecond, 5 * kMillisecond,   10 * kMillisecond,  25 * kMillisecond,  50 * kMillisecond,
          100 * kMillisecond,  250 * kMillisecond, 500 * kMillisecond, 1 * kSecond,        2500 * kMillisecond,
          5 * kSecond,         10 * kSecond,       30 * kSecond,       60 * kSecond};
}

std::vector<int64_t> ShareBounds() { return {100, 250, 500, 750, 900, 1000}; }

}  // namespace toolgate::observability
