// A log line for each call.
#ifndef TOOLGATE_OBSERVABILITY_LOG_OBSERVER_H_
#define TOOLGATE_OBSERVABILITY_LOG_OBSERVER_H_

#include <string>
#include <string_view>
#include <utility>

#include "observability/call_observer.h"
#include "observability/logger.h"

namespace toolgate::observability {

// Logs the end of every call: a good one as debug, a refused or failed one as info, one that failed by no fault of its
// caller as warning. Thread-safe.
class LogObserver final : public CallObserver {
 public:
  // `logger` is borrowed. `mask` is for what callers say of themselves and of what they want: a refused call is logged,
  // too, and so is what nobody has looked at yet.
  LogObserver(Logger& logger, LogMask mask) : logger_(logger), mask_(std::move(mask)) {}

  void OnCallStarted(const CallStarted& /*call*/) override {}
  void OnCallEnded(const CallStarted& call, const CallEnded& end) override;

 private:
  std::string Masked(std::string_view text) const;

  Logger& logger_;
  const LogMask mask_;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_LOG_OBSERVER_H_
