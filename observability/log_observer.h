// A log line for each call.
#ifndef TOOLGATE_OBSERVABILITY_LOG_OBSERVER_H_
#define TOOLGATE_OBSERVABILITY_LOG_OBSERVER_H_

#include "observability/call_observer.h"
#include "observability/logger.h"

namespace toolgate::observability {

// Logs the end of every call: a good one as debug, a refused or failed one as info, one that failed by no fault of its
// caller as warning. Thread-safe.
class LogObserver final : public CallObserver {
 public:
  explicit LogObserver(Logger& logger) : logger_(logger) {}  // Borrowed.

  void OnCallStarted(const CallStarted& /*call*/) override {}
  void OnCallEnded(const CallStarted& call, const CallEnded& end) override;

 private:
  Logger& logger_;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_LOG_OBSERVER_H_
