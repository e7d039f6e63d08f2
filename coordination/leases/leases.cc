#include "coordination/leases/leases.h"

#include "common/status_macros.h"

namespace toolgate::coordination::leases {

absl::StatusOr<std::optional<Leases::Lease>> Leases::TryTake(LeaseName name) {
  ASSIGN_OR_RETURN(const bool taken, Take(name));
  std::optional<Lease> lease;
  if (taken) lease.emplace(Lease(*this, std::move(name)));
  return lease;
}

}  // namespace toolgate::coordination::leases
