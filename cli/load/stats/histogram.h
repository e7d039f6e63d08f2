// Histogram of durations with a bounded relative error.
#ifndef TOOLGATE_CLI_LOAD_STATS_HISTOGRAM_H_
#define TOOLGATE_CLI_LOAD_STATS_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace toolgate::cli::load::stats {

// Log-linear, as HdrHistogram: each power of two is divided into 64 equal buckets, so that a value read back is off by
// at most 1/128 (0.8 %); values below 64 ns are exact, and so are minimum, maximum and mean. Values beyond
// kMaxNanos (about 2.4 hours) count as kMaxNanos. Not thread-safe.
class Histogram {
 public:
  static constexpr int64_t kMaxNanos = (int64_t{1} << 43) - 1;

  // Negative values count as 0.
  void Record(int64_t nanos);
  void Merge(const Histogram& other);

  int64_t count() const { return count_; }
  int64_t min() const { return count_ == 0 ? 0 : min_; }
  int64_t max() const { return max_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

  // Smallest recorded value that at least the share `quantile` (0 to 1) of all values does not exceed; 0 when empty.
  int64_t Quantile(double quantile) const;

  // Calls `visit` for each bucket with values, in ascending order: a value of the bucket, and the number of values in
  // this and all earlier buckets.
  void VisitCumulative(const std::function<void(int64_t nanos, int64_t cumulative)>& visit) const;

 private:
  static size_t IndexOf(uint64_t value);
  static int64_t MiddleOf(size_t index);

  std::vector<uint64_t> buckets_;  // As long as the largest value needs.
  int64_t count_ = 0;
  int64_t min_ = 0;
  int64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace toolgate::cli::load::stats

#endif  // TOOLGATE_CLI_LOAD_STATS_HISTOGRAM_H_
