// A log line for each call.
#ifndef TOOLGATE_OBSERVABILITY_LOG_OBSERVER_H_
#define TOOLGATE_OBSERVABILITY_LOG_OBSERVER_H_

#include <string>
#include <string_view>
#include <utility>

#include "observability/call_observer.h"
#include "observability/logger.h"

namespace toolgate::observability {

// Logs the end of every call: a success as debug, a refusal or failure as info, a failure that is not the caller's
// fault as warning. Logs findings of layer 1 as a warning of their own. Thread-safe.
class LogObserver final : public CallObserver {
 public:
  // `logger` is borrowed. The masks are for texts from callers: refused calls are logged too, with texts that nothing
  // has checked yet. `mask_secrets` is for the ids of tool, workspace and user, `mask_all` for the conversation's,
  // which then looks as in the audit log.
  LogObserver(Logger& logger, LogMask mask_secrets, LogMask mask_all)
      : logger_(logger), mask_secrets_(std::move(mask_secrets)), mask_all_(std::move(mask_all)) {}

  void OnCallStarted(const CallStarted& /*call*/) override {}
  void OnCallEnded(const CallStarted& call, const CallEnded& end) override;

 private:
  void LogFindings(const CallStarted& call, const CallEnded& end) const;

  Logger& logger_;
  const LogMask mask_secrets_;
  const LogMask mask_all_;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_LOG_OBSERVER_H_
