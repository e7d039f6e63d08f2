// Decides whether the outcome of a call counts against its tool.
#ifndef TOOLGATE_SECURITY_RATE_LIMIT_VERDICT_H_
#define TOOLGATE_SECURITY_RATE_LIMIT_VERDICT_H_

#include "absl/status/statusor.h"
#include "security/tool_call.h"

namespace toolgate::security::rate_limit {

// The effect of a finished call on the circuit breakers of its tool and of the tool's provider.
enum class Verdict {
  kNone,     // Nothing is counted, and a half-open breaker gets its probe back.
  kSuccess,  // The tool works.
  kFailure,  // The tool, or the provider that it depends on, is broken.
};

// The one place that decides whose fault a failure is. The first rule that applies decides:
//
// 1. A call that did not run (refused further in, failed by the store, answered with a question or with a stored
//    outcome) says nothing.
// 2. A success counts as one, also after the caller's deadline.
// 3. A failure after the client left or the caller's own deadline passed is the caller's, whatever its code.
// 4. A failure of an automation that one of its steps passed on is counted for that step's tool, if at all.
// 5. A failure by time (TIMEOUT, or any code of a tool that was interrupted) is the caller's while the caller's
//    deadline is shorter than the tool's own bound, whichever of the two the tool noticed first.
// 6. A tool that names no provider depends on nothing outside of this process, and how long it takes is a matter of its
//    arguments. Only failures inside of it count, which are EXECUTION_ERROR, and none by time.
// 7. A tool of a provider fails by EXECUTION_ERROR and by TIMEOUT.
//
// Every other code is a fault of the caller or of the configuration (IsCallersFault). So is any failure that was marked
// with Blame::kRequest where it arose: our own checks and bounds refused what a provider answered, the provider
// declined the content, or something that the answer pointed to could not be fetched. All of these depend on what was
// asked, so that otherwise one caller's prompts would open the breaker for all. A key, a credit or a model that the
// provider does not accept (401, 402, 404) depends on the configuration alone and counts: every call would fail alike.
//
// The caller's deadline is the shortest of the RPC's, the request's remaining execution time, and that of the
// automation that contains the call: common/fibers/cancellation.h distinguishes it from the tool's own bound. So no
// caller opens a breaker for others by asking for little time or by leaving.
//
// Thread-safe. Reads the clock of `call.cancellation`.
Verdict VerdictOn(const ToolCall& call, const absl::StatusOr<ToolResult>& result);

}  // namespace toolgate::security::rate_limit

#endif  // TOOLGATE_SECURITY_RATE_LIMIT_VERDICT_H_
