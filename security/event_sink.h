// The way of a call's events to its client.
#ifndef TOOLGATE_SECURITY_EVENT_SINK_H_
#define TOOLGATE_SECURITY_EVENT_SINK_H_

#include <string_view>

#include "absl/status/status.h"
#include "executors/progress.h"

namespace toolgate::security {

// Receives what a call sends while it runs. A layer that changes events on their way puts a sink of its own in front.
// Used by the thread that runs the call.
class EventSink : public executors::ProgressSink {
 public:
  // A piece of output of `channel` ("stdout", "stderr", "text"). Waits while the client is slow, so the caller holds
  // neither a lock nor a snapshot nor a transaction. CANCELLED or TIMEOUT when the call must stop.
  virtual absl::Status Output(std::string_view channel, std::string_view bytes) = 0;

 protected:
  ~EventSink() = default;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_EVENT_SINK_H_
