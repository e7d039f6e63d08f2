// What the audit log says of a call.
#ifndef TOOLGATE_SERVICES_AUDIT_AUDIT_ENTRY_H_
#define TOOLGATE_SERVICES_AUDIT_AUDIT_ENTRY_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "common/json.h"
#include "common/tool_error.h"
#include "security/safe_errors/masker.h"
#include "security/tool_call.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::services::audit {

// What can be said of a call before it runs; the costly part, because of the masks. `masker` takes personal data and
// secrets out of all that callers are free to write: arguments, names, and the ids of conversations and requests. Only
// the ids of workspaces and users stay as they are: they say who it was.
v1::AuditEntry BeginAuditEntry(const security::ToolCall& call, const security::safe_errors::Masker& masker);
// How a call ended.
struct CallEnding {
  const security::ToolResult* result;  // Null: a layer refused the call.
  const ToolError* error;              // Why it was refused or failed, already safe to show; null: it did not.
  absl::Time time;
  absl::Duration duration;
};
// Completes the entry. May be said again of a later attempt of the same call.
void EndAuditEntry(const security::ToolCall& call, const CallEnding& ending,
                   const security::safe_errors::Masker& masker, v1::AuditEntry& entry);

// The entry of something that an operator did outside of the pipeline: `action` stands where a tool's id would, for
// example "confirmation.decide".
struct OperatorAction {
  std::string id;  // Of the entry.
  std::string action;
  Json params;                                    // As the operator gave them; the entry holds them masked.
  std::optional<ToolError> error = std::nullopt;  // Why it was refused or failed, already safe to show.
};
v1::AuditEntry MakeOperatorEntry(const OperatorAction& action, const Caller& caller, absl::Time now,
                                 const security::safe_errors::Masker& masker);

void SetToolError(const ToolError& error, v1::ToolError& out);

}  // namespace toolgate::services::audit

#endif  // TOOLGATE_SERVICES_AUDIT_AUDIT_ENTRY_H_
