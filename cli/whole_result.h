// Putting together a result that was too long for one answer.
#ifndef TOOLGATE_CLI_WHOLE_RESULT_H_
#define TOOLGATE_CLI_WHOLE_RESULT_H_

#include "cli/session.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::cli {

// Asks for all that follows what `result` holds, and makes it the whole: its data, no longer truncated. One whose rest
// cannot be had stays as it is, after a warning that says why; one that is whole is left alone.
void FetchRest(Session& session, v1::ToolResult& result);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_WHOLE_RESULT_H_
