// RPCs of toolgate.v1.ToolService about tools; confirmation_api.h has those about confirmations.
#ifndef TOOLGATE_SERVICES_API_TOOL_API_H_
#define TOOLGATE_SERVICES_API_TOOL_API_H_

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "services/api/event_writer.h"
#include "services/api/known_call.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::api {

// A method takes a request and fills `response`. It may block, unless it says otherwise, and ends early once
// `cancellation` says so. Every status is safe to show. Thread-safe.

absl::Status Execute(const KnownCall& known, const v1::ExecuteRequest& request, v1::ExecuteResponse& response,
                     fibers::Cancellation& cancellation);

// Whether Execute would answer `request` without waiting: its tool only does point reads, or it is refused at once.
bool AnswersAtOnce(const KnownCall& known, const v1::ExecuteRequest& request);
// As Execute, for a request that AnswersAtOnce, on a thread that must not wait.
absl::Status ExecuteAtOnce(const KnownCall& known, const v1::ExecuteRequest& request, v1::ExecuteResponse& response);

// As Execute, with an event when the tool starts. The response is the last event.
absl::Status ExecuteStream(const KnownCall& known, const v1::ExecuteStreamRequest& request,
                           fibers::Cancellation& cancellation, EventWriter& events);

absl::Status Undo(const KnownCall& known, const v1::UndoRequest& request, v1::UndoResponse& response,
                  fibers::Cancellation& cancellation);

// The next part of a result that was cut.
absl::Status ReadResult(const KnownCall& known, const v1::ReadResultRequest& request, v1::ReadResultResponse& response,
                        fibers::Cancellation& cancellation);

// The tools that the caller may use.
absl::Status ListTools(const KnownCall& known, const v1::ListToolsRequest& request, v1::ListToolsResponse& response,
                       fibers::Cancellation& cancellation);

// The caller's own changes, the latest first.
absl::Status ListUndoEntries(const KnownCall& known, const v1::ListUndoEntriesRequest& request,
                             v1::ListUndoEntriesResponse& response, fibers::Cancellation& cancellation);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_TOOL_API_H_
