// Everything that the runners share.
#ifndef TOOLGATE_SERVICES_EXECUTION_ENVIRONMENT_H_
#define TOOLGATE_SERVICES_EXECUTION_ENVIRONMENT_H_

#include <string_view>

#include "common/clock.h"
#include "common/fibers/wait_timer.h"
#include "common/ids.h"
#include "security/execution_tracking/result_cap.h"
#include "security/safe_errors/masker.h"
#include "security/safe_errors/safe_errors.h"
#include "services/audit/audit_queue.h"
#include "services/execution/call_runner.h"
#include "services/execution/outside_text.h"
#include "storage/store.h"

namespace toolgate::services::execution {

// Borrowed by every runner; all of it is thread-safe and outlives them.
struct Environment {
  storage::Store& store;  // Marks its own failures (storage/fault.h).
  const Clock& clock;
  IdSource& ids;
  const security::safe_errors::SafeErrors& safe_errors;
  const security::safe_errors::Masker& masker;
  const security::execution_tracking::ResultCap& result_cap;
  const OutsideText& outside_text;
  audit::AuditQueue& audit;
  CallRunner& pipeline;
  fibers::WaitTimer& waits;
  std::string_view process_id;  // Owner of this process's claims in the journal; unique among all that ever ran.
  // The tool that takes back the steps of automations that fail; null where the catalogue has none.
  const executors::Tool* undo = nullptr;
};

// Write context of `call`.
storage::WriteContext WriteContextOf(const security::ToolCall& call, const Environment& environment);

// Inputs of the handler of `call`, without those that run other tools.
executors::ToolContext ToolContextOf(const security::ToolCall& call, const Environment& environment);

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_ENVIRONMENT_H_
