#include "services/api/offered_tools.h"

namespace toolgate::services::api {

bool CanServe(const executors::Tool& tool, const Caller& caller) {
  return tool.handlers.available == nullptr || tool.handlers.available(caller).ok();
}

absl::StatusOr<bool> IsOffered(const core::Core& core, const Caller& caller, const executors::Tool& tool,
                               storage::ReadView& view) {
  if (tool.definition.internal || !core.MayUse(caller, tool)) return false;
  if (!CanServe(tool, caller)) return false;
  if (tool.is_on == nullptr) return true;
  return tool.is_on(caller, view);
}

}  // namespace toolgate::services::api
