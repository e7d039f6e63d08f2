// Parts of the service that RPCs use, whatever transport they came by.
#ifndef TOOLGATE_SERVICES_API_API_RUNTIME_H_
#define TOOLGATE_SERVICES_API_API_RUNTIME_H_

#include <functional>
#include <memory>
#include <string>

#include "common/clock.h"
#include "common/ids.h"
#include "observability/logger.h"
#include "observability/metrics.h"
#include "observability/tracing/tracer.h"
#include "security/confirmation/decision_watch.h"
#include "services/api/input_budget.h"
#include "services/api/transfer_slots.h"
#include "services/audit/audit_queue.h"
#include "services/chat/chats.h"
#include "services/core/core.h"
#include "storage/store.h"

namespace toolgate::services::api {

using core::Core;

// Borrowed by every RPC; lives as long as the servers of all transports. Thread-safe, as its parts are.
struct ApiRuntime {
  std::function<std::shared_ptr<const Core>()> core;  // Returns the present one. A call ends in that in which it began.
  storage::Store& store;
  audit::AuditQueue& audit_queue;
  observability::Metrics& metrics;
  observability::tracing::Tracer& tracer;
  observability::Logger& logger;
  const Clock& clock;
  IdSource& ids;
  security::confirmation::DecisionWatch& decisions;
  std::string scratch_dir;       // For short-lived files, on the disk that the data is on.
  chat::Chats* chats = nullptr;  // Null: no chats.
  InputBudget inputs{};
  std::unique_ptr<TransferSlots> transfers = std::make_unique<TransferSlots>();
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_API_RUNTIME_H_
