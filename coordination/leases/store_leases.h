// Leases kept in the store, among all processes that use it.
#ifndef TOOLGATE_COORDINATION_LEASES_STORE_LEASES_H_
#define TOOLGATE_COORDINATION_LEASES_STORE_LEASES_H_

#include <set>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "coordination/leases/leases.h"
#include "storage/store.h"

namespace toolgate::coordination::leases {

// Time for which a lease is good unless it is renewed: several rounds of renewal.
inline constexpr absl::Duration kLeaseTime = absl::Seconds(30);

// Each lease is a document of its workspace, with its holder and its end by the holder's clock: clocks of processes
// that share a store may differ by a fraction of kLeaseTime. One that lapsed goes to the next who asks. Thread-safe.
class StoreLeases final : public Leases {
 public:
  // Borrows store and clock. `process_id` differs from that of every other process.
  StoreLeases(storage::Store& store, const Clock& clock, std::string process_id)
      : store_(store), clock_(clock), process_id_(std::move(process_id)) {}

  // One commit for each lease; the first failure, once all were tried.
  absl::Status Renew() override ABSL_LOCKS_EXCLUDED(mutex_);

 protected:
  absl::StatusOr<bool> Take(const LeaseName& name) override ABSL_LOCKS_EXCLUDED(mutex_);
  // One whose end cannot be stored lapses.
  void Release(const LeaseName& name) override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Runs `change` with the present holder's name, empty if there is none or it has lapsed.
  absl::Status Change(
      const LeaseName& name,
      absl::FunctionRef<absl::Status(storage::Transaction&, const std::string& holder, absl::Time now)> change);

  storage::Store& store_;
  const Clock& clock_;
  const std::string process_id_;
  absl::Mutex mutex_;
  std::set<LeaseName> held_ ABSL_GUARDED_BY(mutex_);  // With those that are being taken.
};

}  // namespace toolgate::coordination::leases

#endif  // TOOLGATE_COORDINATION_LEASES_STORE_LEASES_H_
