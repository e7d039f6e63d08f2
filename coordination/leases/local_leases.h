// Leases within one process.
#ifndef TOOLGATE_COORDINATION_LEASES_LOCAL_LEASES_H_
#define TOOLGATE_COORDINATION_LEASES_LOCAL_LEASES_H_

#include <set>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "coordination/leases/leases.h"

namespace toolgate::coordination::leases {

// Local to this process, for a store that no other one uses. Its leases last until they are destroyed; nothing waits or
// fails. Thread-safe.
class LocalLeases final : public Leases {
 public:
  absl::Status Renew() override { return absl::OkStatus(); }

 protected:
  absl::StatusOr<bool> Take(const LeaseName& name) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Release(const LeaseName& name) override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Mutex mutex_;
  std::set<LeaseName> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::coordination::leases

#endif  // TOOLGATE_COORDINATION_LEASES_LOCAL_LEASES_H_
