// The tools that a caller is offered.
#ifndef TOOLGATE_SERVICES_API_OFFERED_TOOLS_H_
#define TOOLGATE_SERVICES_API_OFFERED_TOOLS_H_

#include "absl/status/statusor.h"
#include "common/caller.h"
#include "executors/tool.h"
#include "services/core/core.h"
#include "storage/store.h"

namespace toolgate::services::api {

// Whether this service can run the tool for the caller.
bool CanServe(const executors::Tool& tool, const Caller& caller);

// Whether a list shows the tool: the caller may use it, and it is neither internal nor switched off.
absl::StatusOr<bool> IsOffered(const core::Core& core, const Caller& caller, const executors::Tool& tool,
                               storage::ReadView& view);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_OFFERED_TOOLS_H_
