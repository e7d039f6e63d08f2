#include "services/pipeline/resolve.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/edit_distance.h"
#include "common/status_macros.h"
#include "common/tool_error.h"

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

Resolve::Resolve(std::shared_ptr<const executors::Catalog> catalog, ParseArguments parse)
    : catalog_(std::move(catalog)), parse_(std::move(parse)) {}

absl::StatusOr<security::ToolResult> Resolve::Run(security::ToolCall& call, security::Next next) {
  const executors::Tool* tool = catalog_->Find(call.tool_id);
  if (tool == nullptr || (tool->definition.internal && !call.internal)) return Unknown(call.tool_id);
  call.tool = tool;
  if (!call.arguments_text.empty()) {
    ASSIGN_OR_RETURN(Json arguments, parse_(call.arguments_text));
    call.SetArguments(std::move(arguments));
  }
  return next(call);
}

absl::Status Resolve::Unknown(std::string_view tool_id) const {
  if (tool_id.empty()) return MakeError(ErrorCode::kUnknownTool, "tool_id is empty; ListTools names the tools");
  if (!LooksLikeAName(tool_id))
    return MakeError(ErrorCode::kUnknownTool, "there is no such tool; ListTools names them");
  std::vector<std::string_view> known;
  for (const executors::Tool& tool : catalog_->tools()) {
    if (!tool.definition.internal) known.push_back(tool.definition.id);
  }
  std::string message = absl::StrCat("there is no tool \"", ToAbsl(tool_id), "\"");
  if (const std::string_view nearest = NearestName(tool_id, known); !nearest.empty()) {
    absl::StrAppend(&message, "; did you mean \"", ToAbsl(nearest), "\"?");
  } else {
    absl::StrAppend(&message, "; ListTools names them");
  }
  return MakeError(ErrorCode::kUnknownTool, message);
}

}  // namespace toolgate::services::pipeline
