// What the audit log says of a call.
#ifndef TOOLGATE_SERVICES_PIPELINE_AUDIT_ENTRY_H_
#define TOOLGATE_SERVICES_PIPELINE_AUDIT_ENTRY_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "common/json.h"
#include "common/tool_error.h"
#include "security/tool_call.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::services::pipeline {

// Takes personal data and secrets out of all that callers are free to write: arguments, names, and the ids of
// conversations and requests. Only the ids of workspaces and users stay as they are: they say who it was. Both
// functions are thread-safe.
struct AuditMask {
  std::function<std::string(const Json&)> json;       // As JSON text.
  std::function<std::string(std::string_view)> text;  // Also of what an entry is looked up by.
};

// What can be said of a call before it runs; the costly part, because of the masks.
v1::AuditEntry BeginAuditEntry(const security::ToolCall& call, const AuditMask& mask);
// How a call ended.
struct CallEnding {
  const security::ToolResult* result;  // Null: a layer refused the call.
  const ToolError* error;              // Why it was refused or failed, already safe to show; null: it did not.
  absl::Time time;
  absl::Duration duration;
};
// Completes the entry. May be said again of a later attempt of the same call.
void EndAuditEntry(const security::ToolCall& call, const CallEnding& ending, const AuditMask& mask,
                   v1::AuditEntry& entry);

// The entry of something that an operator did outside of the pipeline: `action` stands where a tool's id would, for
// example "confirmation.decide".
struct OperatorAction {
  std::string id;  // Of the entry.
  std::string action;
  Json params;                                    // As the operator gave them; the entry holds them masked.
  std::optional<ToolError> error = std::nullopt;  // Why it was refused or failed, already safe to show.
};
v1::AuditEntry MakeOperatorEntry(const OperatorAction& action, const Caller& caller, absl::Time now,
                                 const AuditMask& mask);

void SetToolError(const ToolError& error, v1::ToolError& out);

}  // namespace toolgate::services::pipeline

#endif  // TOOLGATE_SERVICES_PIPELINE_AUDIT_ENTRY_H_
