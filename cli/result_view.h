// Prints results of tools.
#ifndef TOOLGATE_CLI_RESULT_VIEW_H_
#define TOOLGATE_CLI_RESULT_VIEW_H_

#include "cli/session.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::cli {

// Prints a piece of a tool's output: that of the channel "stderr" on the standard error, any other on the standard
// output. Control characters are escaped on a terminal.
void ShowOutput(const v1::ToolOutput& output, const Session& session);

// Prints `result`. With --json: all of it. Otherwise: the data as indented JSON, or the requested rendering, on the
// standard output, and undo, dry run, findings and failure as notes. Returns kOk or kToolFailed.
ExitCode ShowResult(const v1::ToolResult& result, const Session& session);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_RESULT_VIEW_H_
