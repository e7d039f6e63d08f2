// Parts that outlive a configuration: state, stores and clocks that a reload must not lose.
#ifndef TOOLGATE_SERVICES_CORE_PROCESS_STATE_H_
#define TOOLGATE_SERVICES_CORE_PROCESS_STATE_H_

#include <memory>
#include <string>

#include "common/clock.h"
#include "common/ids.h"
#include "coordination/breakers/breaker_registry.h"
#include "coordination/limits/limiter_store.h"
#include "executors/catalog.h"
#include "observability/call_observer.h"
#include "security/confirmation/confirmation_observer.h"
#include "security/execution_tracking/execution_state.h"
#include "security/identity/identity_factory.h"
#include "security/rate_limit/limit_observer.h"
#include "security/safe_errors/error_log.h"
#include "security/safe_errors/known_secrets.h"
#include "services/audit/audit_queue.h"
#include "services/execution/running_claims.h"
#include "storage/store.h"

namespace toolgate::services::core {

// All borrowed but the texts; everything in it is thread-safe.
struct ProcessState {
  std::shared_ptr<const executors::Catalog> catalog;
  storage::Store& store;
  const Clock& clock;
  IdSource& ids;
  audit::AuditQueue& audit_queue;
  observability::CallObserver& observer;
  coordination::limits::LimiterStore& limiter_store;
  coordination::breakers::BreakerRegistry& breakers;
  security::rate_limit::LimitObserver& limit_observer;
  security::confirmation::ConfirmationObserver& confirmation_observer;
  security::execution_tracking::ExecutionState& execution_state;
  security::safe_errors::ErrorLog& error_log;
  security::identity::IdentityFactory& identities;
  execution::RunningClaims& running_claims;
  std::string signing_key;  // Of confirmation tokens.
  std::string process_id;   // Names this process in the journal; new at each start.
  // Masked by value in whatever leaves; null: none are known.
  const security::safe_errors::KnownSecrets* secrets = nullptr;
};

}  // namespace toolgate::services::core

#endif  // TOOLGATE_SERVICES_CORE_PROCESS_STATE_H_
