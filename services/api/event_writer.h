// The client's end of a stream of events.
#ifndef TOOLGATE_SERVICES_API_EVENT_WRITER_H_
#define TOOLGATE_SERVICES_API_EVENT_WRITER_H_

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::api {

// Takes the events of one ExecuteStream, in their order. Borrowed by the call; used by one thread at a time.
class EventWriter {
 public:
  virtual ~EventWriter() = default;

  // Queues `event`: for the few that every call has. Never waits; an event for a client that is gone is dropped.
  virtual void Write(const v1::ExecuteStreamResponse& event) = 0;

  // As Write, but takes the place of a progress event that has not left yet and that nothing has followed.
  virtual void WriteProgress(const v1::ExecuteStreamResponse& event) = 0;

  // As Write, and waits while the queue is full, so the caller holds no lock and no transaction. CANCELLED when the
  // client is gone, TIMEOUT at the deadline of `cancellation`.
  virtual absl::Status WriteOutput(const v1::ExecuteStreamResponse& event,
                                   const fibers::Cancellation& cancellation) = 0;
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_EVENT_WRITER_H_
