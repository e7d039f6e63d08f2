// Registration of the tools that link items across modules.
#ifndef TOOLGATE_EXECUTORS_LINKS_LINK_TOOLS_H_
#define TOOLGATE_EXECUTORS_LINKS_LINK_TOOLS_H_

#include <vector>

#include "executors/tool.h"

namespace toolgate::executors::links {

std::vector<ToolHandlers> LinkHandlers();

}  // namespace toolgate::executors::links

#endif  // TOOLGATE_EXECUTORS_LINKS_LINK_TOOLS_H_
