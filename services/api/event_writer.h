// The client's end of a stream of events.
#ifndef TOOLGATE_SERVICES_API_EVENT_WRITER_H_
#define TOOLGATE_SERVICES_API_EVENT_WRITER_H_

#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::api {

// Takes the events of one ExecuteStream, in their order. Borrowed by the call; used by one thread at a time.
class EventWriter {
 public:
  virtual ~EventWriter() = default;

  // Queues `event` for the client. Waits while the client is slow and the queue is full, so the caller holds no lock
  // and no transaction; the first few events of a stream never wait. False when the client is gone and the event is
  // lost.
  virtual bool Write(const v1::ExecuteStreamResponse& event) = 0;
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_EVENT_WRITER_H_
