// A tool's result, for people.
#ifndef TOOLGATE_CLI_RESULT_VIEW_H_
#define TOOLGATE_CLI_RESULT_VIEW_H_

#include "cli/session.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::cli {

// Prints `result`: with --json all of it; otherwise the data as indented JSON, or the rendering that was asked for, on
// the output, and what else matters (undo, dry run, findings, failure) as notes. Answers kOk or kToolFailed.
ExitCode ShowResult(const v1::ToolResult& result, const Session& session);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_RESULT_VIEW_H_
