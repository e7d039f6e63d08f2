#include "executors/overview/overview_tools.h"

#include "executors/overview/daily_overview.h"
#include "executors/overview/overview_definitions.h"

namespace toolgate::executors::overview {
namespace {

absl::StatusOr<FamilyTools> OverviewTools(const FamilyContext&) {
  return FamilyTools{{{"daily_overview", ReadHandler(DailyOverview)}}};
}

}  // namespace

Family OverviewFamily() { return {"overview", &DefinitionFiles(), OverviewTools}; }

}  // namespace toolgate::executors::overview
