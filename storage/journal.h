// The journal: one row for each effect that was claimed and not yet settled, and what its steps have settled so far.
#ifndef TOOLGATE_STORAGE_JOURNAL_H_
#define TOOLGATE_STORAGE_JOURNAL_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "storage/changes.h"

namespace toolgate::storage {

// A handler's checkpoint is a note to its recoverer, not a place for data.
inline constexpr size_t kMaxCheckpointBytes = size_t{64} << 10;

// The right of one process to run one effect, from the commit that claims it to the one that settles it. Recovery
// resolves a claim that is not settled: any process may do so once `good_until` has passed.
struct Claim {
  std::string id;  // Unique in the workspace: the call's audit entry id.
  std::string user_id;
  std::string tool_id;
  std::string idempotency_key;  // Held as running; empty when the call has none.
  std::string part_of;          // The claim of the automation of which the call is a step; empty for all others.
  std::string owner;            // The process that acts.
  absl::Time claimed_at;
  absl::Time good_until;
  int64_t recoveries = 0;  // Number of times that it was taken over: the number of the present attempt.
  std::string call;        // The call, serialised (toolgate.internal.v1.ClaimedCall).
  std::string checkpoint;  // The handler's own state, as last written.
};

// One attempt at the effect of a claim. A process that was slow may still act when another one, or it itself, has taken
// the claim over: what it then asks for as an earlier attempt is refused.
struct ClaimHold {
  // Implicit, for the first attempt. Borrows the owner.
  template <std::convertible_to<std::string_view> Owner>
  ClaimHold(const Owner& of, int64_t number = 0)  // NOLINT(google-explicit-constructor)
      : owner(of), attempt(number) {}

  std::string_view owner;
  int64_t attempt;  // Claim::recoveries when it began.
};

// A step that settled by itself, of a call that has a claim. Stays until it is taken back, or the claim is dropped.
struct SettledStep {
  std::string claim_id;
  int64_t number = 0;  // Its place among the steps of the call, from 0.
  std::string audit_entry_id;
  std::string tool_id;
  bool is_known = true;    // False: it may or may not have taken effect, and nobody can tell.
  bool reversible = true;  // False: undo cannot take it back.
  Changes changes;
};

// Refuses a call whose idempotency key `running` holds: CONFLICT, refused as ABORTED, to be tried again when it must
// have ended.
absl::Status KeyIsHeld(const Claim& running, absl::Time now);

// ABORTED: another process has taken the claim over, or settled it.
absl::Status NotHeld(std::string_view claim_id);

// A claim and where it is.
struct OpenClaim {
  std::string workspace_id;
  Claim claim;
};

// A place in the list of all claims, which is ordered by workspace and id.
struct ClaimPlace {
  std::string workspace_id;
  std::string claim_id;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_JOURNAL_H_
