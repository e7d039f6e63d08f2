// Undo and redo, as a tool that only the Undo RPC may name: it goes through the same layers as any other call.
#ifndef TOOLGATE_EXECUTORS_UNDO_UNDO_TOOL_H_
#define TOOLGATE_EXECUTORS_UNDO_UNDO_TOOL_H_

#include <string>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "executors/tool.h"

namespace toolgate::executors::undo {

// By the kind of effect: in the store, or outside of it.
using Reversers = absl::flat_hash_map<std::string, std::variant<Reverser, OutsideReverser>>;

// NOTHING_TO_UNDO, CANNOT_UNDO, CONFLICT, NOT_FOUND (no such entry on this user's stack) or FORBIDDEN when it fails.
//
// A change that lies in the store alone is taken back in one transaction. One with an effect outside of it is taken
// back as an effect: each reversal acts in its turn, the last effect first, and when one fails, those before it are
// brought about again. An undo that was interrupted is run again to its end, since reversals are idempotent.
ToolHandlers UndoTool(MayUseTool may_use, Reversers reversers);

}  // namespace toolgate::executors::undo

#endif  // TOOLGATE_EXECUTORS_UNDO_UNDO_TOOL_H_
