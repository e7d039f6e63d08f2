// Prints the events of a running call.
#ifndef TOOLGATE_CLI_CALL_EVENTS_H_
#define TOOLGATE_CLI_CALL_EVENTS_H_

#include "cli/session.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::cli {

// Prints one event but the last (`response`), which is the command's result. With --json: one line of JSON for each.
// Otherwise output goes to the standard output, everything else is a note for people, and progress is shown on a
// terminal only.
void ShowEvent(const v1::ExecuteStreamResponse& event, const Session& session);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_CALL_EVENTS_H_
