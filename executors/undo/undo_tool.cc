#include "executors/undo/undo_tool.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/internal_tool.h"
#include "executors/undo/undo_definitions.h"
#include "storage/store.h"

namespace toolgate::executors::undo {
namespace {

using storage::ReadView;
using storage::Transaction;
using storage::UndoEntry;

absl::StatusOr<UndoEntry> FindEntry(const ToolContext& context, ReadView& view) {
  const std::string& user = context.caller.user_id;
  if (!context.arguments.contains("entryId")) {
    ASSIGN_OR_RETURN(std::optional<UndoEntry> top, view.TopUndoEntry(user));
    if (top.has_value()) return *std::move(top);
    return MakeError(ErrorCode::kNothingToUndo, "nothing to undo: this user has no change that is not undone yet");
  }
  const std::string id = context.arguments["entryId"].get<std::string>();
  ASSIGN_OR_RETURN(std::optional<UndoEntry> entry, view.FindUndoEntry(user, id));
  if (entry.has_value()) return *std::move(entry);
  return MakeError(ErrorCode::kNotFound,
                   "there is no such entry on this user's undo stack; it holds the latest 50 changes");
}

absl::Status CheckUndoable(const UndoEntry& entry) {
  if (entry.undone) return MakeError(ErrorCode::kCannotUndo, "this change has been taken back already");
  if (!entry.reversible) {
    return MakeError(ErrorCode::kCannotUndo, "this change has effects that cannot be taken back");
  }
  // Changes without effects are not on the stack, but earlier releases lost effects that were too long for an entry.
  if (entry.changes.empty()) {
    return MakeError(ErrorCode::kCannotUndo,
                     "this change cannot be taken back: it was too large, and the release that made it kept nothing of "
                     "it");
  }
  return absl::OkStatus();
}

// The entry to take back, and the change that it concerns, whose tool's permissions the undo needs: the entry of an
// undo concerns the change that the undo took back.
struct Target {
  UndoEntry entry;
  UndoEntry change;
};

class UndoHandler {
 public:
  UndoHandler(MayUseTool may_use, FindReverser find_reverser)
      : may_use_(std::move(may_use)), reversal_(std::move(find_reverser)) {}

  absl::StatusOr<bool> NeedsEffect(const ToolContext& context, ReadView& view) const {
    ASSIGN_OR_RETURN(const UndoEntry entry, FindEntry(context, view));
    return reversal_.NeedsEffect(entry.changes);
  }

  absl::StatusOr<ToolOutput> RunInTransaction(ToolContext& context, Transaction& tx) const {
    ASSIGN_OR_RETURN(const Target target, FindTarget(context, tx));
    RETURN_IF_ERROR(reversal_.InStore(target.entry.changes, context, tx));
    RETURN_IF_ERROR(MarkUndone(target.entry, tx));
    return OutputOf(target);
  }

  absl::StatusOr<Acted> RunAsEffect(ToolContext& context, EffectSession& session) const {
    Target target;
    RETURN_IF_ERROR(session.Read([&](ReadView& view) -> absl::Status {
      ASSIGN_OR_RETURN(target, FindTarget(context, view));
      return absl::OkStatus();
    }));
    const ToolOutput output = OutputOf(target);
    if (context.dry_run) return Acted{output, nullptr};
    auto changes = std::make_shared<const storage::Changes>(std::exchange(target.entry.changes, {}));
    ASSIGN_OR_RETURN(Acted acted, reversal_.AsEffect(std::move(changes), context, session));
    acted.output = output;
    acted.settle = [entry = std::move(target.entry), reverse = std::move(acted.settle)](Transaction& tx) {
      const absl::Status reversed = reverse(tx);
      return reversed.ok() ? MarkUndone(entry, tx) : reversed;
    };
    return acted;
  }

  const ChangeReversal& reversal() const { return reversal_; }

 private:
  absl::StatusOr<Target> FindTarget(const ToolContext& context, ReadView& view) const {
    Target target;
    ASSIGN_OR_RETURN(target.entry, FindEntry(context, view));
    RETURN_IF_ERROR(CheckUndoable(target.entry));
    target.change = target.entry;
    if (target.entry.is_undo()) {
      ASSIGN_OR_RETURN(std::optional<UndoEntry> original,
                       view.FindUndoEntry(target.entry.user_id, target.entry.undoes_entry_id));
      if (!original.has_value()) {
        return absl::InternalError("an undo is on the stack without the change that it took back");
      }
      target.change = *std::move(original);
    }
    const std::string& tool = target.change.tool_id;
    if (may_use_ == nullptr || may_use_(context.caller, tool)) return target;
    return MakeError(ErrorCode::kForbidden,
                     absl::StrCat("undoing a change of ", tool, " needs the permissions of ", tool));
  }

  static absl::Status MarkUndone(const UndoEntry& entry, Transaction& tx) {
    RETURN_IF_ERROR(tx.SetUndone(entry.user_id, entry.id, true));
    if (!entry.is_undo()) return absl::OkStatus();
    return tx.SetUndone(entry.user_id, entry.undoes_entry_id, false);
  }

  static ToolOutput OutputOf(const Target& target) {
    const UndoEntry& entry = target.entry;
    ToolOutput output;
    if (entry.is_undo()) {
      output.revived_entry_id = entry.undoes_entry_id;
      output.description = absl::StrCat("Redid: ", target.change.description);
    } else {
      output.undoes_entry_id = entry.id;
      output.description = absl::StrCat("Undid: ", target.change.description);
    }
    output.data_json =
        DumpJson(Json{{"undoneEntryId", entry.id}, {"toolId", entry.tool_id}, {"description", output.description}});
    return output;
  }

  const MayUseTool may_use_;
  const ChangeReversal reversal_;
};

// Completes the undo: its reversals are idempotent, and its entry is not marked as undone yet. If a reversal is no
// longer possible, everything before it is restored before the failure is reported.
absl::StatusOr<Recovered> Resume(const UndoHandler& undo, ToolContext& context, EffectSession& session) {
  absl::StatusOr<Acted> acted = undo.RunAsEffect(context, session);
  if (acted.ok()) return Recovered{Recovered::Outcome::kFinished, *std::move(acted)};
  if (!GetToolError(acted.status()).has_value()) return acted.status();
  return Recovered{Recovered::Outcome::kRolledBack, {}};
}

absl::StatusOr<FamilyTools> UndoTools(const FamilyContext& context) {
  return FamilyTools{{UndoTool(context.may_use_tool, context.find_reverser)}};
}

}  // namespace

Family UndoFamily() { return {"undo", &DefinitionFiles(), UndoTools}; }

ToolHandlers UndoTool(MayUseTool may_use, FindReverser find_reverser) {
  const auto undo = std::make_shared<const UndoHandler>(std::move(may_use), std::move(find_reverser));
  ToolHandlers handlers;
  handlers.id = IdOf(InternalTool::kUndo);
  handlers.run = FlexibleHandler{
      .in_transaction = [undo](ToolContext& context, Transaction& tx) { return undo->RunInTransaction(context, tx); },
      .as_effect = [undo](ToolContext& context, EffectSession& session) { return undo->RunAsEffect(context, session); },
      .needs_effect = [undo](ToolContext& context, ReadView& view) { return undo->NeedsEffect(context, view); }};
  handlers.recover = [undo](ToolContext& context, EffectSession& session) { return Resume(*undo, context, session); };
  handlers.reverse = [undo](const storage::Changes& changes, ToolContext& context, EffectSession& session) {
    return undo->reversal().AsEffect(std::make_shared<const storage::Changes>(changes), context, session);
  };
  return handlers;
}

}  // namespace toolgate::executors::undo
