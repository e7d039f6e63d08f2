#include "cli/load/schedule/arrivals.h"

#include <utility>

namespace toolgate::cli::load::schedule {

Arrivals::Arrivals(Schedule schedule, Pattern pattern, uint64_t seed, int stride, int offset)
    : schedule_(std::move(schedule)),
      pattern_(pattern),
      stride_(stride),
      random_(seed, static_cast<uint64_t>(offset)),
      // Thread `offset` has its first call where the threads before it leave room; independent ones need no offset.
      calls_(pattern == Pattern::kEven ? offset : 0) {
  if (pattern_ == Pattern::kPoisson) calls_ += random_.Exponential() * stride_;
}

std::optional<int64_t> Arrivals::Next() {
  const std::optional<double> seconds = schedule_.TimeOf(calls_);
  if (!seconds.has_value()) return std::nullopt;
  calls_ += pattern_ == Pattern::kEven ? stride_ : random_.Exponential() * stride_;
  return static_cast<int64_t>(*seconds * 1e9);
}

}  // namespace toolgate::cli::load::schedule
