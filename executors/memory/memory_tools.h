// The tools with which a model keeps its memory, and what turns them on and off.
#ifndef TOOLGATE_EXECUTORS_MEMORY_MEMORY_TOOLS_H_
#define TOOLGATE_EXECUTORS_MEMORY_MEMORY_TOOLS_H_

#include <vector>

#include "executors/tool.h"
#include "executors/tool_switch.h"

namespace toolgate::executors::memory {

std::vector<ToolHandlers> MemoryHandlers();

// The switch "memory": the caller's own memory_enabled.
ToolSwitch MemorySwitch();

}  // namespace toolgate::executors::memory

#endif  // TOOLGATE_EXECUTORS_MEMORY_MEMORY_TOOLS_H_
