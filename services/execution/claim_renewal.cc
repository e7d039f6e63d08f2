#include "services/execution/claim_renewal.h"

#include <optional>

#include "common/fibers/cancellation.h"
#include "common/status_macros.h"
#include "services/execution/claim_session.h"
#include "storage/journal.h"

namespace toolgate::services::execution {
namespace {

// A claim is renewed when it is good for no longer than the first, which is several rounds, and for the second.
constexpr absl::Duration kRenewBefore = absl::Seconds(30);
constexpr absl::Duration kRenewal = absl::Minutes(2);

}  // namespace

absl::Status ClaimRenewal::Run() const {
  absl::Status status;
  for (const RunningClaims::Entry& entry : running_.List()) status.Update(Renew(entry));
  return status;
}

absl::Status ClaimRenewal::Renew(const RunningClaims::Entry& entry) const {
  const absl::Time now = environment_.clock.Now();
  bool is_due = false;
  RETURN_IF_ERROR(environment_.store.Read(entry.workspace_id, [&](storage::ReadView& view) -> absl::Status {
    ASSIGN_OR_RETURN(const std::optional<storage::Claim> claim, view.FindClaim(entry.id));
    is_due = claim.has_value() && claim->good_until <= now + kRenewBefore;
    return absl::OkStatus();
  }));
  if (!is_due) return absl::OkStatus();
  const storage::WriteContext context{entry.workspace_id, entry.user_id, entry.id, now};
  // If the claim is gone, or another process's, its handler finds that out when it settles.
  return environment_.store.Commit(context, storage::CommitMode::kDurable, fibers::Cancellation(),
                                   [&](storage::Transaction& tx) {
                                     return ExtendClaim(tx, entry.id, environment_.process_id, now + kRenewal).status();
                                   });
}

}  // namespace toolgate::services::execution
