// Conversion of API messages to JSON with stable keys, for --json.
#ifndef TOOLGATE_CLI_API_JSON_H_
#define TOOLGATE_CLI_API_JSON_H_

#include <string>

#include "common/json.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "toolgate/v1/audit_service.pb.h"
#include "toolgate/v1/instruction_service.pb.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::cli {

// RFC 3339 in UTC, "2026-03-02T09:00:00.123456Z"; "" for an unset timestamp.
std::string Rfc3339(const google::protobuf::Timestamp& timestamp);

// Parses JSON text from the service. Text that is not JSON becomes a JSON string.
Json EmbeddedJson(const std::string& text);

Json ToJson(const v1::ToolError& error);
Json ToJson(const v1::ToolResult& result);
Json ToJson(const v1::ConfirmationRequest& request);
Json ToJson(const v1::Tool& tool);
Json ToJson(const v1::UndoEntry& entry);
Json ToJson(const v1::PendingConfirmation& confirmation);
Json ToJson(const v1::AuditEntry& entry);
Json ToJson(const v1::VerifyChainResponse& response);
Json ToJson(const v1::Instruction& instruction);

// "read", "create", … and "never", "always", "conditional"; "" for unspecified.
std::string CategoryName(v1::ToolCategory category);
std::string RuleName(v1::ConfirmationRule rule);
// "created", "updated", "deleted".
std::string KindName(v1::BlockChange::Kind kind);
std::string KindName(v1::LinkChange::Kind kind);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_API_JSON_H_
