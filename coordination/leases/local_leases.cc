#include "coordination/leases/local_leases.h"

namespace toolgate::coordination::leases {

absl::StatusOr<bool> LocalLeases::Take(const LeaseName& name) {
  absl::MutexLock lock(&mutex_);
  return held_.insert(name).second;
}

void LocalLeases::Release(const LeaseName& name) {
  absl::MutexLock lock(&mutex_);
  held_.erase(name);
}

}  // namespace toolgate::coordination::leases
