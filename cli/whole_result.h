// Reads the rest of a result that was too long for one response.
#ifndef TOOLGATE_CLI_WHOLE_RESULT_H_
#define TOOLGATE_CLI_WHOLE_RESULT_H_

#include "cli/session.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::cli {

// Completes a truncated `result`: reads the rest from the service and replaces the data with the whole. If the rest
// cannot be read, warns with the reason and leaves `result` unchanged. Does nothing if `result` is not truncated.
void FetchRest(Session& session, v1::ToolResult& result);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_WHOLE_RESULT_H_
