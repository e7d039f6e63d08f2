// Registration of the tool that combines all planner modules.
#ifndef TOOLGATE_EXECUTORS_OVERVIEW_OVERVIEW_TOOLS_H_
#define TOOLGATE_EXECUTORS_OVERVIEW_OVERVIEW_TOOLS_H_

#include "executors/family.h"

namespace toolgate::executors::overview {

Family OverviewFamily();

}  // namespace toolgate::executors::overview

#endif  // TOOLGATE_EXECUTORS_OVERVIEW_OVERVIEW_TOOLS_H_
