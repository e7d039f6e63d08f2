// Turns tools on and off for one caller.
#ifndef TOOLGATE_EXECUTORS_TOOL_SWITCH_H_
#define TOOLGATE_EXECUTORS_TOOL_SWITCH_H_

#include <functional>
#include <string_view>

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

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_TOOL_SWITCH_H_
