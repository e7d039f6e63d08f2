#include "executors/undo/undo_tool.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/blocks/integrity.h"
#include "executors/blocks/series_premise.h"
#include "storage/store.h"

namespace toolgate::executors::undo {
namespace {

using storage::Transaction;
using storage::UndoEntry;

constexpr std::string_view kUndo = "undo";

absl::StatusOr<UndoEntry> FindEntry(const ToolContext& context, Transaction& tx) {
  const std::string& user = context.caller.user_id;
  if (!context.arguments.contains("entryId")) {
    ASSIGN_OR_RETURN(std::optional<UndoEntry> top, tx.TopUndoEntry(user));
    if (top.has_value()) return *std::move(top);
    return MakeError(ErrorCode::kNothingToUndo, "nothing to undo: this user has no change that is not undone yet");
  }
  const std::string id = context.arguments["entryId"].get<std::string>();
  ASSIGN_OR_RETURN(std::optional<UndoEntry> entry, tx.FindUndoEntry(user, id));
  if (entry.has_value()) return *std::move(entry);
  return MakeError(ErrorCode::kNotFound,
                   "there is no such entry on this user's undo stack; it holds the latest 50 changes");
}

// What `entry` is about, whose tool's permissions its undo needs: an undo's own entry is about the change it took back.
absl::StatusOr<UndoEntry> ChangeBehind(const UndoEntry& entry, Transaction& tx) {
  if (entry.tool_id != kUndo) return entry;
  ASSIGN_OR_RETURN(std::optional<UndoEntry> original, tx.FindUndoEntry(entry.user_id, entry.undoes_entry_id));
  if (original.has_value()) return *std::move(original);
  return absl::InternalError("an undo is on the stack without the change that it took back");
}

absl::Status CheckUndoable(const UndoEntry& entry) {
  if (entry.undone) return MakeError(ErrorCode::kCannotUndo, "this change has been taken back already");
  if (!entry.reversible) {
    return MakeError(ErrorCode::kCannotUndo, "this change has effects that cannot be taken back");
  }
  // No change without an effect is on the stack, but earlier releases lost what was too long for its entry.
  if (entry.changes.empty()) {
    return MakeError(ErrorCode::kCannotUndo,
                     "this change cannot be taken back: it was too large, and the release that made it kept nothing of "
                     "it");
  }
  return absl::OkStatus();
}

// The last one first, since each was made on what the ones before had left.
absl::Status ReverseEffects(const std::vector<storage::Effect>& effects, const Reversers& reversers,
                            ToolContext& context, Transaction& tx) {
  for (auto effect = effects.rbegin(); effect != effects.rend(); ++effect) {
    if (effect->kind == blocks::kSeriesEffect) continue;  // blocks::Revert looks at it.
    const auto reverser = reversers.find(effect->kind);
    if (reverser == reversers.end()) {
      return MakeError(ErrorCode::kCannotUndo,
                       absl::StrCat("this change is of a kind that this service does not take back: ", effect->kind));
    }
    RETURN_IF_ERROR(reverser->second(*effect, context, tx));
  }
  return absl::OkStatus();
}

absl::StatusOr<ToolOutput> Undo(const MayUseTool& may_use, const Reversers& reversers, ToolContext& context,
                                Transaction& tx) {
  ASSIGN_OR_RETURN(const UndoEntry entry, FindEntry(context, tx));
  RETURN_IF_ERROR(CheckUndoable(entry));
  ASSIGN_OR_RETURN(const UndoEntry change, ChangeBehind(entry, tx));
  if (may_use != nullptr && !may_use(context.caller, change.tool_id)) {
    return MakeError(ErrorCode::kForbidden, absl::StrCat("undoing a change of ", change.tool_id,
                                                         " needs the permissions of ", change.tool_id));
  }
  tx.LiftUndoBound();
  RETURN_IF_ERROR(ReverseEffects(entry.changes.effects, reversers, context, tx));
  RETURN_IF_ERROR(blocks::Revert(tx, entry.changes));
  RETURN_IF_ERROR(tx.SetUndone(entry.user_id, entry.id, true));
  ToolOutput output;
  if (entry.tool_id == kUndo) {
    RETURN_IF_ERROR(tx.SetUndone(entry.user_id, entry.undoes_entry_id, false));
    output.revived_entry_id = entry.undoes_entry_id;
    output.description = absl::StrCat("Redid: ", change.description);
  } else {
    output.undoes_entry_id = entry.id;
    output.description = absl::StrCat("Undid: ", change.description);
  }
  output.data_json =
      DumpJson(Json{{"undoneEntryId", entry.id}, {"toolId", entry.tool_id}, {"description", output.description}});
  return output;
}

}  // namespace

ToolHandlers UndoTool(MayUseTool may_use, Reversers reversers) {
  ToolHandlers handlers;
  handlers.id = kUndo;
  handlers.run = [may_use = std::move(may_use), reversers = std::move(reversers)](
                     ToolContext& context, Transaction& tx) { return Undo(may_use, reversers, context, tx); };
  return handlers;
}

}  // namespace toolgate::executors::undo
