// Events of confirmations, for metrics.
#ifndef TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_OBSERVER_H_
#define TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_OBSERVER_H_

#include "observability/confirmation_event.h"

namespace toolgate::security::confirmation {

// Thread-safe; called on the path of calls, so it must be quick and must not block.
class ConfirmationObserver {
 public:
  virtual void OnConfirmation(observability::ConfirmationEvent event) = 0;

 protected:
  ~ConfirmationObserver() = default;
};

}  // namespace toolgate::security::confirmation

#endif  // TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_OBSERVER_H_
