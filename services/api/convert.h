// Between the wire's messages and the pipeline's types.
#ifndef TOOLGATE_SERVICES_API_CONVERT_H_
#define TOOLGATE_SERVICES_API_CONVERT_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/caller.h"
#include "common/tool_error.h"
#include "security/tool_call.h"
#include "storage/records.h"
#include "toolgate/v1/caller.pb.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::api {

Caller FromProto(const v1::Caller& caller);

// Everything of a request that does not depend on the connection. What is out of its bounds makes the call malformed.
void FillCall(const v1::ExecuteRequest& request, security::ToolCall& call);

// Takes the texts out of `result`. Leaves rendered_text empty.
void FillResult(const security::ToolCall& call, security::ToolResult&& result, v1::ToolResult& out);
void FillResponse(const security::ToolCall& call, security::ToolResult&& result, v1::ExecuteResponse& out);

// A refused call as a result: `error` is safe to show, `now` the time of the refusal. Leaves rendered_text empty. Layer
// 1's findings are left out, as they are from a status.
void FillRefusal(const security::ToolCall& call, const ToolError& error, absl::Time now, v1::ToolResult& out);

void FillUndoEntry(const storage::UndoEntry& entry, v1::UndoEntry& out);
void FillConfirmation(const storage::Confirmation& confirmation, v1::PendingConfirmation& out);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_CONVERT_H_
