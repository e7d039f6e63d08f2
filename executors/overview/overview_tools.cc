#include "executors/overview/overview_tools.h"

#include "executors/overview/daily_overview.h"

namespace toolgate::executors::overview {

std::vector<ToolHandlers> OverviewHandlers() { return {{"daily_overview", ReadHandler(DailyOverview)}}; }

}  // namespace toolgate::executors::overview
