// Undo and redo, as a tool that only the Undo RPC may name: it goes through the same layers as any other call.
#ifndef TOOLGATE_EXECUTORS_UNDO_UNDO_TOOL_H_
#define TOOLGATE_EXECUTORS_UNDO_UNDO_TOOL_H_

#include "executors/family.h"
#include "executors/tool.h"
#include "executors/undo/change_reversal.h"

namespace toolgate::executors::undo {

Family UndoFamily();

// NOTHING_TO_UNDO, CANNOT_UNDO, CONFLICT, NOT_FOUND (no such entry on this user's stack), FORBIDDEN or QUOTA_EXCEEDED
// (several changes are more than one undo can keep) when it fails.
//
// Arguments name an entry, a request or a conversation, or nothing: then it is the user's latest change. All changes of
// a request or a conversation are taken back newest first, all or nothing, and have one undo entry together.
//
// A change that lies in the store alone is taken back in one transaction. One with an effect outside of it, or one that
// takes long to work out, is taken back as an effect (ChangeReversal). An undo that was interrupted is run again to its
// end, since reversals are idempotent. The tool also takes back single steps of automations that fail
// (ToolHandlers::reverse).
ToolHandlers UndoTool(MayUseTool may_use, FindReverser find_reverser);

}  // namespace toolgate::executors::undo

#endif  // TOOLGATE_EXECUTORS_UNDO_UNDO_TOOL_H_
