#include "cli/load/profile/pools.h"

#include <utility>

namespace toolgate::cli::load::profile {

void Pools::Add(size_t pool, std::string id, schedule::Random& random) {
  Pool& into = pools_[pool];
  absl::MutexLock lock(&into.mutex);
  if (into.ids.size() < kMostIds) {
    into.ids.push_back(std::move(id));
  } else {
    into.ids[random.Below(into.ids.size())] = std::move(id);
  }
}

std::optional<std::string> Pools::Draw(size_t pool, PoolDraw how, schedule::Random& random) {
  Pool& from = pools_[pool];
  absl::MutexLock lock(&from.mutex);
  const size_t size = from.ids.size();
  if (size == 0) return std::nullopt;
  switch (how) {
    case PoolDraw::kLast:
      return from.ids.back();
    case PoolDraw::kZipf:
      return from.ids[random.ZipfBelow(size)];
    case PoolDraw::kAny:
      return from.ids[random.Below(size)];
    case PoolDraw::kTake:
      break;
  }
  std::swap(from.ids[random.Below(size)], from.ids.back());
  std::string id = std::move(from.ids.back());
  from.ids.pop_back();
  return id;
}

size_t Pools::size(size_t pool) const {
  absl::MutexLock lock(&pools_[pool].mutex);
  return pools_[pool].ids.size();
}

}  // namespace toolgate::cli::load::profile
