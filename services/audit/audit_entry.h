// Audit entries of calls.
#ifndef TOOLGATE_SERVICES_AUDIT_AUDIT_ENTRY_H_
#define TOOLGATE_SERVICES_AUDIT_AUDIT_ENTRY_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "common/json.h"
#include "common/tool_error.h"
#include "executors/tool.h"
#include "security/safe_errors/masker.h"
#include "security/tool_call.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::services::audit {

// Arguments as the audit log and others show them.
struct ShownArguments {
  std::string json;
  bool cut = false;  // Only the first 4 KiB, and thus no complete JSON.
};
// `tool` may be null: that of an unknown one.
ShownArguments ShowArguments(const Json& arguments, const executors::Tool* tool,
                             const security::safe_errors::Masker& masker);
// The same, of any length. Of a member that the tool's schema annotates with "x-toolgate-mask": "secrets", such as a
// path, only secrets are masked: what looks like a host or an address is a name there.
std::string MaskArguments(const Json& arguments, const executors::Tool* tool,
                          const security::safe_errors::Masker& masker);

// The part of a call's entry that is known before it runs; the expensive part, because of the masks. `masker` masks
// personal data and secrets in all texts that callers choose: arguments, names, and the ids of conversations and
// requests. Only the ids of workspaces and users stay unchanged: they identify the caller.
// `entry` must be empty.
void BeginAuditEntry(const security::ToolCall& call, const security::safe_errors::Masker& masker,
                     v1::AuditEntry& entry);
// Outcome of a call.
struct CallEnding {
  const security::ToolResult* result;  // Null: a layer refused the call.
  const ToolError* error;              // Reason of a refusal or failure, already safe to show; null: success.
  absl::Time time;
  absl::Duration duration;
};
// Completes the entry. May be called again for a later attempt of the same call.
void EndAuditEntry(const security::ToolCall& call, const CallEnding& ending,
                   const security::safe_errors::Masker& masker, v1::AuditEntry& entry);

// The entry of an operator's action outside of the pipeline: `action` takes the place of a tool's id, for example
// "confirmation.decide".
struct OperatorAction {
  std::string id;  // Of the entry.
  std::string action;
  Json params;                                    // As given by the operator; the entry contains them masked.
  std::optional<ToolError> error = std::nullopt;  // Reason of a refusal or failure, already safe to show.
};
v1::AuditEntry MakeOperatorEntry(const OperatorAction& action, const Caller& caller, absl::Time now,
                                 const security::safe_errors::Masker& masker);

void SetToolError(const ToolError& error, v1::ToolError& out);

}  // namespace toolgate::services::audit

#endif  // TOOLGATE_SERVICES_AUDIT_AUDIT_ENTRY_H_
