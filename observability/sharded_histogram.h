// Histograms that many threads update concurrently.
#ifndef TOOLGATE_OBSERVABILITY_SHARDED_HISTOGRAM_H_
#define TOOLGATE_OBSERVABILITY_SHARDED_HISTOGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "observability/metric_rows.h"
#include "observability/sharded_cells.h"
#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace toolgate::observability {

// A family of histograms over whole numbers: of nanoseconds, exported in seconds, unless said otherwise. All rows are
// exported from the start: a rate that begins with the first observation would miss it. Thread-safe;
// Observe takes no lock and allocates nothing (prometheus::Histogram takes a mutex each time).
class ShardedHistogram final : public prometheus::Collectable {
 public:
  // Observed units in one exported unit.
  static constexpr int64_t kNanosInSecond = 1'000'000'000;

  // `bounds` are the inclusive upper bounds of the buckets, ascending and positive; "+Inf" is added.
  ShardedHistogram(MetricRows spec, std::vector<int64_t> bounds, int64_t units = kNanosInSecond);

  // `row` is an index into the rows of the constructor. Negative values count as zero.
  void Observe(size_t row, int64_t value) {
    if (value < 0) value = 0;
    const size_t first = row * cells_per_row_;
    cells_.Add(first, value);
    cells_.Add(first + 1 + BucketOf(value), 1);
  }

  std::vector<prometheus::MetricFamily> Collect() const override;

  size_t BucketOf(int64_t value) const {
    // Only the bounds with the same bit width need to be compared.
    size_t bucket = first_bucket_[Width(value)];
    while (bucket < bounds_.size() && value > bounds_[bucket]) ++bucket;
    return bucket;
  }

 private:
  static constexpr int kWidths = 65;
  static size_t Width(int64_t value) { return value == 0 ? 0 : 64 - __builtin_clzll(static_cast<uint64_t>(value)); }

  const MetricRows spec_;
  const std::vector<int64_t> bounds_;
  const double units_;
  const size_t cells_per_row_;  // The sum, then the buckets, then "+Inf".
  std::array<uint8_t, kWidths> first_bucket_;
  ShardedCells cells_;
};

// From 1 µs to 10 s: for layers and store operations.
std::vector<int64_t> FineBounds();
// From 50 µs to 60 s: for whole calls.
std::vector<int64_t> CoarseBounds();
// From 10 % to 100 %, in thousandths: for shares of a limit.
std::vector<int64_t> ShareBounds();

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_SHARDED_HISTOGRAM_H_
