#ifndef TOOLGATE_EXECUTORS_OVERVIEW_DAILY_OVERVIEW_H_
#define TOOLGATE_EXECUTORS_OVERVIEW_DAILY_OVERVIEW_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::overview {

// See definitions/daily_overview.json.
absl::StatusOr<ToolOutput> DailyOverview(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::overview

#endif  // TOOLGATE_EXECUTORS_OVERVIEW_DAILY_OVERVIEW_H_
