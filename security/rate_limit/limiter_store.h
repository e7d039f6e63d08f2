// Where the windows of users and providers are kept.
#ifndef TOOLGATE_SECURITY_RATE_LIMIT_LIMITER_STORE_H_
#define TOOLGATE_SECURITY_RATE_LIMIT_LIMITER_STORE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "security/rate_limit/sliding_window.h"

namespace toolgate::security::rate_limit {

// Whose calls a log counts. A value that borrows its names.
struct Subject {
  enum class Kind : uint8_t { kUser, kGuest, kProvider };
  Kind kind = Kind::kUser;
  std::string_view workspace_id;  // Empty for providers, which all workspaces share.
  std::string_view name;          // The user's id, or the provider's name.

  friend bool operator==(const Subject& a, const Subject& b) = default;
};

// One log of a subject, and the windows over it that must all have room.
struct LogCheck {
  Subject subject;
  std::string_view log;  // A tool's id, or "*" for all calls of the subject.
  std::span<const Window> windows;
};

struct ChargeOutcome {
  enum class Kind {
    kAdmitted,   // Every log was charged.
    kRefused,    // Some window had no room; nothing was charged.
    kTableFull,  // No room for one more subject beside those with charges in their windows; nothing was charged.
  };
  Kind kind = Kind::kAdmitted;
  absl::Time charged_at;  // kAdmitted: what GiveBack asks for.
  // Otherwise: until all windows would have room, or the table would, should nothing else be charged meanwhile.
  absl::Duration wait;
  size_t check = 0;   // kRefused: the first check without room,
  size_t window = 0;  // and which of its windows is the last to have room again.
};

// What a window holds now.
struct WindowUsage {
  int64_t used = 0;
  absl::Time resets_at = absl::InfinitePast();  // When the oldest of them leaves the window; InfinitePast for none.
};

// Thread-safe. A store that several replicas share goes by its own clock.
//
// Errors: UNAVAILABLE when the state is out of reach. Then nothing is known, and the layer decides what that means.
class LimiterStore {
 public:
  virtual ~LimiterStore() = default;

  // Charges one call to every log, or to none: atomic for the checks of one subject, of which a shared store makes one
  // round trip. Checks of another subject (a provider's beside a user's) may take a further one, whose charge is given
  // back when the rest refuses.
  virtual absl::StatusOr<ChargeOutcome> CheckAndCharge(std::span<const LogCheck> checks) = 0;

  // Takes back what CheckAndCharge charged, for a call that was refused later on. Best effort: a charge that cannot be
  // taken back stays until it leaves its windows.
  virtual void GiveBack(std::span<const LogCheck> checks, absl::Time charged_at) = 0;

  // What each window of each check holds, in their order.
  virtual absl::StatusOr<std::vector<std::vector<WindowUsage>>> Usage(std::span<const LogCheck> checks) = 0;
};

}  // namespace toolgate::security::rate_limit

#endif  // TOOLGATE_SECURITY_RATE_LIMIT_LIMITER_STORE_H_
