// The way in which code below the layers waits, without knowing who lets it.
#ifndef TOOLGATE_COMMON_FIBERS_WAIT_H_
#define TOOLGATE_COMMON_FIBERS_WAIT_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fibers/event.h"

namespace toolgate::fibers {

// True when the event is set, false when the time passed first. CANCELLED or TIMEOUT when the call must stop.
// EffectSession::Wait and WaitTimer::Wait are such functions. The caller holds no lock.
using Wait = absl::FunctionRef<absl::StatusOr<bool>(Event& event, absl::Duration timeout)>;

}  // namespace toolgate::fibers

#endif  // TOOLGATE_COMMON_FIBERS_WAIT_H_
