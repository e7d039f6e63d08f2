// RPCs that answer with a stream of events.
#ifndef TOOLGATE_SERVICES_HTTP_STREAM_CALLS_H_
#define TOOLGATE_SERVICES_HTTP_STREAM_CALLS_H_

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "services/api/known_call.h"
#include "services/http/event_stream.h"
#include "services/http/request_json.h"

namespace toolgate::services::http {

// ExecuteStream: the request is an ExecuteRequest. Events are named "started", "progress", "output" and "response".
absl::Status StreamExecute(const api::KnownCall& known, RequestParts parts, fibers::Cancellation& cancellation,
                           EventStream& events);

// Chat: events are named after the fields of ChatResponse ("content_delta", "tool_call_start" …). The last one has no
// name and the data "[DONE]".
absl::Status StreamChat(const api::KnownCall& known, RequestParts parts, fibers::Cancellation& cancellation,
                        EventStream& events);

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_STREAM_CALLS_H_
