// A tool call's way through everything that stands around a tool.
#ifndef TOOLGATE_SERVICES_PIPELINE_PIPELINE_H_
#define TOOLGATE_SERVICES_PIPELINE_PIPELINE_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "observability/call_observer.h"
#include "observability/call_recorder.h"
#include "security/layer.h"
#include "security/safe_errors/masker.h"
#include "security/safe_errors/safe_errors.h"
#include "services/audit/audit_entry.h"
#include "services/audit/audit_queue.h"
#include "services/execution/execution.h"

namespace toolgate::services::pipeline {

// Runs the layers, outermost first, around the innermost step. Watching wraps the whole: every call, also a refused
// one, is timed, observed and audited, exactly once. A step of an automation whose transaction the store runs again is
// observed each time that it runs; it is audited once, with the automation. Immutable, hence thread-safe.
class Pipeline {
 public:
  // All borrowed.
  struct Dependencies {
    std::vector<security::Layer*> layers;  // Outermost first.
    const execution::Execution& execution;
    observability::CallObserver& observer;
    audit::AuditQueue& audit;
    const Clock& clock;
    const security::safe_errors::Masker& masker;
    const security::safe_errors::SafeErrors& safe_errors;
  };

  explicit Pipeline(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}

  // `call` has arrived: its first part, id, audit entry id and times are set.
  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call) const;

  // Outermost first, with the innermost step as "execute".
  std::vector<std::string_view> StepNames() const;

 private:
  struct Traversal;

  std::string_view NameOf(size_t step) const;

  absl::StatusOr<security::ToolResult> RunFrom(size_t step, Traversal& traversal, security::ToolCall& call) const;
  // `result` and `error` are as in CallEnding.
  absl::Status Audit(security::ToolCall& call, const security::ToolResult* result, const ToolError* error) const;

  const Dependencies dependencies_;
};

}  // namespace toolgate::services::pipeline

#endif  // TOOLGATE_SERVICES_PIPELINE_PIPELINE_H_
