// Undo and redo, as a tool that only the Undo RPC may name: it goes through the same layers as any other call.
#ifndef TOOLGATE_EXECUTORS_UNDO_UNDO_TOOL_H_
#define TOOLGATE_EXECUTORS_UNDO_UNDO_TOOL_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "executors/tool.h"

namespace toolgate::executors::undo {

// By the kind of effect.
using Reversers = absl::flat_hash_map<std::string, Reverser>;

// NOTHING_TO_UNDO, CANNOT_UNDO, CONFLICT, NOT_FOUND (no such entry on this user's stack) or FORBIDDEN when it fails.
ToolHandlers UndoTool(MayUseTool may_use, Reversers reversers);

}  // namespace toolgate::executors::undo

#endif  // TOOLGATE_EXECUTORS_UNDO_UNDO_TOOL_H_
