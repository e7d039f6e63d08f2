// Store for the windows of users and providers.
#ifndef TOOLGATE_COORDINATION_LIMITS_LIMITER_STORE_H_
#define TOOLGATE_COORDINATION_LIMITS_LIMITER_STORE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "coordination/limits/sliding_window.h"

namespace toolgate::coordination::limits {

// The party whose calls a log counts. A value that borrows its names.
struct Subject {
  enum class Kind : uint8_t { kUser, kGuest, kProvider };
  Kind kind = Kind::kUser;
  std::string_view workspace_id;  // Empty for providers, which all workspaces share.
  std::string_view name;          // The user's id, or the provider's name.

  friend bool operator==(const Subject& a, const Subject& b) = default;
};

// One log of a subject, and its windows, all of which must have room.
struct LogCheck {
  Subject subject;
  std::string_view log;  // A tool's id, or "*" for all calls of the subject.
  std::span<const Window> windows;
};

struct ChargeOutcome {
  enum class Kind {
    kAdmitted,   // Every log was charged.
    kRefused,    // Some window had no room; nothing was charged.
    kTableFull,  // No room for another subject besides those with charges in their windows; nothing was charged.
  };
  Kind kind = Kind::kAdmitted;
  absl::Time charged_at;  // kAdmitted: argument for GiveBack.
  // kAdmitted: of each check, the used share of its fullest window with this call, 0 to 1.
  absl::InlinedVector<double, 4> used_shares;
  // Otherwise: time until all windows, or the table, would have room if nothing else were charged meanwhile.
  absl::Duration wait;
  size_t check = 0;   // kRefused: the first check without room,
  size_t window = 0;  // and the window that is the last to have room again.
};

// Current content of a window.
struct WindowUsage {
  int64_t used = 0;
  absl::Time resets_at = absl::InfinitePast();  // When the oldest of them leaves the window; InfinitePast for none.
};

// Thread-safe. A store that several replicas share uses its own clock.
//
// Errors: UNAVAILABLE if the state is unreachable. Then it is unknown, and the layer decides what to do.
class LimiterStore {
 public:
  virtual ~LimiterStore() = default;

  // Charges one call to every log, or to none: atomic for the checks of one subject, for which a shared store makes one
  // round trip. Checks of another subject (a provider's besides a user's) may take a further round trip, whose charge
  // is given back if the rest refuses.
  virtual absl::StatusOr<ChargeOutcome> CheckAndCharge(std::span<const LogCheck> checks) = 0;

  // Takes back the charges of CheckAndCharge, for a call that was refused later on. Best effort: a charge that cannot
  // be taken back stays until it leaves its windows.
  virtual void GiveBack(std::span<const LogCheck> checks, absl::Time charged_at) = 0;

  // Whether a charge may wait for something outside of this process. Then none may be made on a thread that must not
  // wait.
  virtual bool MayWait() const = 0;

  // Returns the content of each window of each check, in their order.
  virtual absl::StatusOr<std::vector<std::vector<WindowUsage>>> Usage(std::span<const LogCheck> checks) = 0;
};

}  // namespace toolgate::coordination::limits

#endif  // TOOLGATE_COORDINATION_LIMITS_LIMITER_STORE_H_
