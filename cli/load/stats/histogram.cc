#include "cli/load/stats/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace toolgate::cli::load::stats {
namespace {

constexpr int kSubBucketBits = 6;
constexpr uint64_t kSubBuckets = uint64_t{1} << kSubBucketBits;

}  // namespace

size_t Histogram::IndexOf(uint64_t value) {
  if (value < kSubBuckets) return static_cast<size_t>(value);
  const int shift = static_cast<int>(std::bit_width(value)) - 1 - kSubBucketBits;
  return static_cast<size_t>((static_cast<uint64_t>(shift) << kSubBucketBits) + (value >> shift));
}

int64_t Histogram::MiddleOf(size_t index) {
  if (index < 2 * kSubBuckets) return static_cast<int64_t>(index);
  const auto shift = static_cast<int>(index >> kSubBucketBits) - 1;
  const uint64_t low = (index - (static_cast<uint64_t>(shift) << kSubBucketBits)) << shift;
  return static_cast<int64_t>(low + (uint64_t{1} << shift) / 2);
}

void Histogram::Record(int64_t nanos) {
  const int64_t value = std::clamp<int64_t>(nanos, 0, kMaxNanos);
  const size_t index = IndexOf(static_cast<uint64_t>(value));
  if (index >= buckets_.size()) buckets_.resize(index + 1);
  ++buckets_[index];
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  sum_ += static_cast<double>(value);
  ++count_;
}

void Histogram::Merge(const Histogram& other) {
  if (other.count_ == 0) return;
  if (buckets_.size() < other.buckets_.size()) buckets_.resize(other.buckets_.size());
  for (size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  count_ += other.count_;
}

int64_t Histogram::Quantile(double quantile) const {
  if (count_ == 0) return 0;
  const double exact = std::ceil(std::clamp(quantile, 0.0, 1.0) * static_cast<double>(count_) - 1e-9);
  const auto wanted = static_cast<uint64_t>(std::max(1.0, exact));
  if (wanted >= static_cast<uint64_t>(count_)) return max_;
  uint64_t seen = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return std::clamp(MiddleOf(i), min_, max_);
  }
  return max_;
}

void Histogram::VisitCumulative(const std::function<void(int64_t, int64_t)>& visit) const {
  uint64_t seen = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    seen += buckets_[i];
    visit(std::clamp(MiddleOf(i), min_, max_), static_cast<int64_t>(seen));
  }
}

}  // namespace toolgate::cli::load::stats
