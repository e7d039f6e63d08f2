// Renews the claims of effects that run long.
#ifndef TOOLGATE_SERVICES_EXECUTION_CLAIM_RENEWAL_H_
#define TOOLGATE_SERVICES_EXECUTION_CLAIM_RENEWAL_H_

#include "absl/status/status.h"
#include "services/execution/environment.h"
#include "services/execution/running_claims.h"

namespace toolgate::services::execution {

// Beside recovery, whose rounds may take minutes: until then the claims of this process's own handlers would have run
// out. Borrows both; one round runs at a time.
class ClaimRenewal {
 public:
  ClaimRenewal(const Environment& environment, const RunningClaims& running)
      : environment_(environment), running_(running) {}

  // One round: renews each claim of a running handler that holds for no longer than several rounds. Goes on after a
  // failure, and returns the first one.
  absl::Status Run() const;

 private:
  absl::Status Renew(const RunningClaims::Entry& entry) const;

  const Environment& environment_;
  const RunningClaims& running_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_CLAIM_RENEWAL_H_
