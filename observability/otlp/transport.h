// Interface between the exporter and the protocol under OTLP.
#ifndef TOOLGATE_OBSERVABILITY_OTLP_TRANSPORT_H_
#define TOOLGATE_OBSERVABILITY_OTLP_TRANSPORT_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace toolgate::observability::otlp {

// Outcome of one attempt to send a batch.
struct Attempt {
  absl::Status status;                                 // OK: the receiver took the batch.
  std::string response = {};                           // Then the bytes of its ExportTraceServiceResponse.
  bool retryable = false;                              // Otherwise whether the protocol lets the batch be sent again,
  std::optional<absl::Duration> delay = std::nullopt;  // and the wait that the receiver asked for, never negative.
};

// Sends requests to one receiver. Send is called by one thread at a time.
class Transport {
 public:
  virtual ~Transport() = default;

  // One attempt with the bytes of an ExportTraceServiceRequest. Blocks for `timeout` at most.
  virtual Attempt Send(std::string_view request, absl::Duration timeout) = 0;
  // From now on every attempt ends with CANCELLED, also a running one. Thread-safe.
  virtual void Cancel() = 0;
};

}  // namespace toolgate::observability::otlp

#endif  // TOOLGATE_OBSERVABILITY_OTLP_TRANSPORT_H_
