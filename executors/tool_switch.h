// Turning tools on and off for one caller.
#ifndef TOOLGATE_EXECUTORS_TOOL_SWITCH_H_
#define TOOLGATE_EXECUTORS_TOOL_SWITCH_H_

#include <functional>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/caller.h"
#include "storage/store.h"

namespace toolgate::executors {

// Whether a switch is on for the caller. Asked before each call of a tool that names the switch and for each listing,
// so it reads a row or two. An error means that nobody knows: then the tool is not run.
using SwitchHandler = std::function<absl::StatusOr<bool>(const Caller&, storage::ReadView&)>;

// What a folder of executors registers beside its handlers. A tool whose definition names the switch is there only
// while it is on: otherwise no list shows it, and a call is answered as if there were no such tool.
struct ToolSwitch {
  std::string_view name;  // As definitions write it.
  SwitchHandler is_on;
};

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_TOOL_SWITCH_H_
