// Tools that are not there for every caller: those that a user has turned off, and those that this service lacks
// something for.
#ifndef TOOLGATE_EXECUTORS_TOOL_SWITCH_H_
#define TOOLGATE_EXECUTORS_TOOL_SWITCH_H_

#include <functional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/caller.h"
#include "storage/store.h"

namespace toolgate::executors {

// Returns whether a switch is on for the caller. Called before each call of a tool with the switch and for each
// listing, so it may read only a row or two. On an error the state is unknown, and the tool is not run.
using SwitchHandler = std::function<absl::StatusOr<bool>(const Caller&, storage::ReadView&)>;

// Registered by a folder of executors next to its handlers. A tool whose definition names the switch is available only
// while it is on: otherwise no list shows it, and a call is answered as if the tool did not exist.
struct ToolSwitch {
  std::string_view name;  // As written in definitions.
  SwitchHandler is_on;
};

// Whether a tool can serve the caller here: OK, or a ToolError NOT_CONFIGURED whose message is the reason and names the
// setting or circumstance to change. Asked before each call and for each listing, without the store: it must be quick.
using Availability = std::function<absl::Status(const Caller&)>;

// Of tools that can serve nobody: NOT_CONFIGURED with `reason`.
Availability AbsentBecause(std::string_view reason);

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_TOOL_SWITCH_H_
