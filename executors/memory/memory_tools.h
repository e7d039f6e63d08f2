// Registration of the memory tools and of their switch.
#ifndef TOOLGATE_EXECUTORS_MEMORY_MEMORY_TOOLS_H_
#define TOOLGATE_EXECUTORS_MEMORY_MEMORY_TOOLS_H_

#include <vector>

#include "executors/family.h"
#include "executors/tool.h"
#include "executors/tool_switch.h"

namespace toolgate::executors::memory {

Family MemoryFamily();

std::vector<ToolHandlers> MemoryHandlers();

// The switch "memory": memory_enabled of the caller's instruction.
ToolSwitch MemorySwitch();

}  // namespace toolgate::executors::memory

#endif  // TOOLGATE_EXECUTORS_MEMORY_MEMORY_TOOLS_H_
