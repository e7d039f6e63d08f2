#include "services/pipeline/resolve.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/edit_distance.h"
#include "common/tool_error.h"
#include "storage/fault.h"

namespace toolgate::services::pipeline {
namespace {

constexpr size_t kMaxQuotedName = 64;

// A name is quoted back only when it looks like one, so that an error can never carry somebody's text.
bool LooksLikeAName(std::string_view name) {
  if (name.empty() || name.size() > kMaxQuotedName) return false;
  for (const char c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!word && c != '_' && c != '.' && c != '-') return false;
  }
  return true;
}

}  // namespace

Resolve::Resolve(std::shared_ptr<const executors::Catalog> catalog, storage::Store& store,
                 const security::param_validation::ArgumentParser& parser)
    : catalog_(std::move(catalog)), store_(store), parser_(parser) {}

absl::StatusOr<security::ToolResult> Resolve::Run(security::ToolCall& call, security::Next next) {
  RETURN_IF_ERROR(call.malformed);
  const executors::Tool* tool = catalog_->Find(call.tool_id);
  if (tool == nullptr || (tool->definition.internal && !call.internal.has_value())) return Unknown(call);
  const absl::StatusOr<bool> on = IsOn(*tool, call);
  // So that an automation is not blamed for what the store did to its step.
  if (storage::IsFault(on.status())) call.state.store_fault = on.status();
  RETURN_IF_ERROR(on.status());
  if (!*on) return Unknown(call);
  if (tool->handlers.available != nullptr) RETURN_IF_ERROR(tool->handlers.available(call.caller));
  call.tool = tool;
  if (!call.arguments_text.empty()) {
    ASSIGN_OR_RETURN(Json arguments, parser_.Parse(call.arguments_text));
    call.SetArguments(std::move(arguments));
  }
  return next(call);
}

bool Resolve::IsThere(const executors::Tool& tool, const security::ToolCall& call) const {
  if (tool.handlers.available != nullptr && !tool.handlers.available(call.caller).ok()) return false;
  return IsOn(tool, call).value_or(false);
}

absl::StatusOr<bool> Resolve::IsOn(const executors::Tool& tool, const security::ToolCall& call) const {
  if (tool.is_on == nullptr) return true;
  // A step of an automation sees what the steps before it did.
  if (call.transaction() != nullptr) return tool.is_on(call.caller, *call.transaction());
  bool on = false;
  RETURN_IF_ERROR(store_.Read(call.caller.workspace_id, call.patience(), [&](storage::ReadView& view) -> absl::Status {
    ASSIGN_OR_RETURN(on, tool.is_on(call.caller, view));
    return absl::OkStatus();
  }));
  return on;
}

absl::Status Resolve::Unknown(const security::ToolCall& call) const {
  const std::string_view tool_id = call.tool_id;
  if (tool_id.empty()) return MakeError(ErrorCode::kUnknownTool, "tool_id is empty; ListTools names the tools");
  if (!LooksLikeAName(tool_id))
    return MakeError(ErrorCode::kUnknownTool, "there is no such tool; ListTools names them");
  std::string message = absl::StrCat("there is no tool \"", ToAbsl(tool_id), "\"");
  if (const std::string_view nearest = NearestTool(call); !nearest.empty()) {
    absl::StrAppend(&message, "; did you mean \"", ToAbsl(nearest), "\"?");
  } else {
    absl::StrAppend(&message, "; ListTools names them");
  }
  return MakeError(ErrorCode::kUnknownTool, message);
}

std::string_view Resolve::NearestTool(const security::ToolCall& call) const {
  std::vector<std::string_view> known;
  for (const executors::Tool& tool : catalog_->tools()) {
    if (!tool.definition.internal) known.push_back(tool.definition.id);
  }
  while (true) {
    const std::string_view nearest = text::NearestName(call.tool_id, known);
    // A tool of which it cannot be told whether it is on is not suggested.
    if (nearest.empty() || IsThere(*catalog_->Find(nearest), call)) return nearest;
    std::erase(known, nearest);
  }
}

}  // namespace toolgate::services::pipeline
