// Recovers effects interrupted between claim and settlement.
#ifndef TOOLGATE_SERVICES_EXECUTION_RECOVERY_H_
#define TOOLGATE_SERVICES_EXECUTION_RECOVERY_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/catalog.h"
#include "services/execution/effect_runner.h"
#include "services/execution/environment.h"
#include "services/execution/running_claims.h"
#include "storage/journal.h"

namespace toolgate::services::execution {

// Resolves the claims that a crash, or a store that failed, left in the journal: takes each over, asks the recoverer of
// its tool how it came out, and settles it so, with an audit entry, an undo entry where it took effect, and the outcome
// under its key. So a repeat of the call is answered that, and nothing runs twice. A claim that cannot be resolved
// stays and is tried again. The claim of an automation's step is resolved with that of the automation, before it.
//
// Borrows everything; one round runs at a time.
class Recovery {
 public:
  // Resolution of one claim ("finished", "rolled_back", "partly_rolled_back", "unknown"), or, when the status is not
  // OK, why it was not.
  using Report = std::function<void(const storage::OpenClaim&, std::string_view recovery, const absl::Status&)>;

  Recovery(const Environment& environment, const EffectRunner& effects, const executors::Catalog& catalog,
           RunningClaims& running, Report report)
      : environment_(environment),
        effects_(effects),
        catalog_(catalog),
        running_(running),
        report_(std::move(report)) {}

  // Claims that count as abandoned.
  enum class Abandoned {
    kExpired,       // Claims that have run out, and this process's own that no handler acts under.
    kNotOwnRunning  // All claims that no handler of this process acts under: no other process uses the store.
  };
  // One round over the journal. Answers how many abandoned claims are left, those of steps not counted, or why the
  // journal cannot be used.
  absl::StatusOr<int64_t> Resolve(Abandoned which) const;

 private:
  bool IsAbandoned(const storage::Claim& claim, Abandoned which) const;
  // As ResolveOne, and reports it. Whether it is resolved.
  bool Resolved(const storage::OpenClaim& open, int64_t attempt_of_whole = 0) const;
  // Resolves the claim's parts, in the place of its owner, and then the claim.
  absl::StatusOr<std::string_view> ResolveOne(const storage::OpenClaim& open, int64_t attempt_of_whole) const;
  absl::Status ResolveParts(const storage::OpenClaim& whole, int64_t attempt) const;
  absl::StatusOr<bool> TakeOver(const storage::OpenClaim& open) const;

  const Environment& environment_;
  const EffectRunner& effects_;
  const executors::Catalog& catalog_;
  RunningClaims& running_;
  const Report report_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_RECOVERY_H_
