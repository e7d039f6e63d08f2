#include "coordination/limits/sliding_window.h"

#include <algorithm>

namespace toolgate::coordination::limits {

absl::Duration SlidingWindow::Wait(absl::Time now, const Window& window) const {
  const auto max_calls = static_cast<size_t>(window.max_calls);
  if (size() < max_calls) return absl::ZeroDuration();
  // There is room as soon as the max_calls-th newest charge has left.
  const int64_t leaves = times_[times_.size() - max_calls] + absl::ToInt64Nanoseconds(window.length);
  return absl::Nanoseconds(std::max<int64_t>(leaves - absl::ToUnixNanos(now), 0));
}

void SlidingWindow::Charge(absl::Time now, absl::Duration keep) {
  const int64_t nanos = absl::ToUnixNanos(now);
  const int64_t oldest_kept = nanos - absl::ToInt64Nanoseconds(keep);
  while (begin_ < times_.size() && times_[begin_] <= oldest_kept) ++begin_;
  if (begin_ > times_.size() / 2) {  // Each entry is moved at most once for each one forgotten.
    times_.erase(times_.begin(), times_.begin() + static_cast<ptrdiff_t>(begin_));
    begin_ = 0;
  }
  times_.push_back(nanos);
}

bool SlidingWindow::GiveBack(absl::Time charged_at) {
  const int64_t nanos = absl::ToUnixNanos(charged_at);
  const auto first = times_.begin() + static_cast<ptrdiff_t>(begin_);
  const auto found = std::lower_bound(first, times_.end(), nanos);
  if (found == times_.end() || *found != nanos) return false;
  times_.erase(found);
  return true;
}

int64_t SlidingWindow::Used(absl::Time now, absl::Duration length) const {
  const int64_t nanos = absl::ToUnixNanos(now);
  return static_cast<int64_t>(times_.size() - FirstAfter(nanos - absl::ToInt64Nanoseconds(length)));
}

absl::Time SlidingWindow::ResetsAt(absl::Time now, absl::Duration length) const {
  const size_t first = FirstAfter(absl::ToUnixNanos(now) - absl::ToInt64Nanoseconds(length));
  return first == times_.size() ? absl::InfinitePast() : absl::FromUnixNanos(times_[first]) + length;
}

absl::Time SlidingWindow::newest() const {
  return size() == 0 ? absl::InfinitePast() : absl::FromUnixNanos(times_.back());
}

size_t SlidingWindow::FirstAfter(int64_t nanos) const {
  const auto first = times_.begin() + static_cast<ptrdiff_t>(begin_);
  return static_cast<size_t>(std::upper_bound(first, times_.end(), nanos) - times_.begin());
}

}  // namespace toolgate::coordination::limits
