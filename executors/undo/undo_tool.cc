#include "executors/undo/undo_tool.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/internal_tool.h"
#include "executors/undo/undo_definitions.h"
#include "storage/change_bound.h"
#include "storage/store.h"
#include "storage/undo_bound.h"

namespace toolgate::executors::undo {
namespace {

using storage::ReadView;
using storage::Transaction;
using storage::UndoEntry;
using storage::UndoGroup;

// Arguments that name all changes of a request or of a conversation.
constexpr std::string_view kAllOfRequest = "allOfRequestId";
constexpr std::string_view kAllOfConversation = "allOfConversationId";

// Part of an entry's changes that is read: all, to undo them, or their outline, to look at them.
enum class Content { kWhole, kOutline };

absl::StatusOr<UndoEntry> FindTop(const ToolContext& context, Content content, ReadView& view) {
  const std::string& user = context.caller.user_id;
  ASSIGN_OR_RETURN(std::optional<UndoEntry> top,
                   content == Content::kWhole ? view.TopUndoEntry(user) : view.OutlineTopUndoEntry(user));
  if (top.has_value()) return *std::move(top);
  return MakeError(ErrorCode::kNothingToUndo, "nothing to undo: this user has no change that is not undone yet");
}

absl::StatusOr<UndoEntry> FindEntry(const ToolContext& context, std::string_view id, Content content, ReadView& view) {
  const std::string& user = context.caller.user_id;
  ASSIGN_OR_RETURN(std::optional<UndoEntry> entry,
                   content == Content::kWhole ? view.FindUndoEntry(user, id) : view.OutlineUndoEntry(user, id));
  if (entry.has_value()) return *std::move(entry);
  return MakeError(ErrorCode::kNotFound,
                   "there is no such entry on this user's undo stack; it holds the latest 50 changes");
}

// The changes that are asked for as one.
std::optional<UndoGroup> GroupOf(const ToolContext& context) {
  if (std::optional<std::string> id = OptionalString(context.arguments, kAllOfRequest)) {
    return UndoGroup{UndoGroup::Kind::kRequest, *std::move(id)};
  }
  if (std::optional<std::string> id = OptionalString(context.arguments, kAllOfConversation)) {
    return UndoGroup{UndoGroup::Kind::kConversation, *std::move(id)};
  }
  return std::nullopt;
}

// Ids of the group's changes that are not undone, newest first. Undos are no changes of a group.
absl::StatusOr<std::vector<std::string>> IdsOf(const UndoGroup& group, const ToolContext& context, ReadView& view) {
  const std::string& user = context.caller.user_id;
  const bool is_request = group.kind == UndoGroup::Kind::kRequest;
  const absl::string_view what = is_request ? "request" : "conversation";
  ASSIGN_OR_RETURN(const bool has_left, view.HasLeftUndoStack(user, group));
  if (has_left) {
    return MakeError(ErrorCode::kCannotUndo,
                     absl::StrCat("this ", what, " made changes that have left the undo stack, which holds the latest ",
                                  storage::kUndoStackSize, "; undo those that it holds one by one"));
  }
  ASSIGN_OR_RETURN(const std::vector<UndoEntry> stack, view.ListUndoEntries(user));
  std::vector<std::string> ids;
  for (const UndoEntry& entry : stack) {
    const std::string& id = is_request ? entry.request_id : entry.conversation_id;
    if (!entry.is_undo() && !entry.undone && id == group.id) ids.push_back(entry.id);
  }
  if (!ids.empty()) return ids;
  return MakeError(ErrorCode::kNothingToUndo, absl::StrCat("nothing to undo: no change of this ", what,
                                                           " is on this user's undo stack and not undone yet"));
}

absl::Status CheckUndoable(const UndoEntry& entry) {
  if (entry.undone) return MakeError(ErrorCode::kCannotUndo, "this change has been taken back already");
  if (!entry.reversible) {
    return MakeError(ErrorCode::kCannotUndo, "this change has effects that cannot be taken back");
  }
  // Changes without effects are not on the stack, but earlier releases lost effects that were too long for an entry.
  if (entry.changes.empty() && entry.changed_things == 0 && !entry.is_undo()) {
    return MakeError(ErrorCode::kCannotUndo,
                     "this change cannot be taken back: it was too large, and the release that made it kept nothing of "
                     "it");
  }
  return absl::OkStatus();
}

// An entry to take back.
struct Target {
  UndoEntry entry;
  std::string description;  // Of the changes that it concerns.
};

// Newest first; never empty.
using Targets = std::vector<Target>;

std::string Describe(const std::vector<std::string>& descriptions) {
  if (descriptions.size() == 1) return descriptions.front();
  return absl::StrCat(descriptions.size(), " changes, the latest: ", descriptions.front());
}

int64_t ThingsIn(const UndoEntry& entry) {
  const storage::Changes& changes = entry.changes;
  return entry.changed_things +
         static_cast<int64_t>(changes.blocks.size() + changes.links.size() + changes.documents.size());
}

int64_t BytesOf(const UndoEntry& entry) {
  return entry.undo_bytes > 0 ? entry.undo_bytes : storage::UndoBytes(entry.changes);
}

bool IsTooMuchToTry(const std::vector<UndoEntry>& entries) {
  int64_t things = 0;
  for (const UndoEntry& entry : entries) things += ThingsIn(entry);
  return things > storage::kMaxTriedChanges;
}

absl::Status TooMuchTogether(size_t changes, std::string_view bound) {
  return MakeError(ErrorCode::kQuotaExceeded, absl::StrCat("these ", changes, " changes are more than the ",
                                                           ToAbsl(bound), "; undo them one by one"));
}

class UndoHandler {
 public:
  UndoHandler(MayUseTool may_use, FindReverser find_reverser)
      : may_use_(std::move(may_use)), reversal_(std::move(find_reverser)) {}

  absl::StatusOr<bool> NeedsEffect(const ToolContext& context, ReadView& view) const {
    ASSIGN_OR_RETURN(const std::vector<UndoEntry> entries, FindEntries(context, Content::kOutline, view));
    // A dry run as an effect acts on nothing, and so holds no one up.
    if (context.dry_run && IsTooMuchToTry(entries)) return true;
    return std::any_of(entries.begin(), entries.end(),
                       [this](const UndoEntry& entry) { return reversal_.NeedsEffect(entry.changes); });
  }

  absl::StatusOr<ToolOutput> RunInTransaction(ToolContext& context, Transaction& tx) const {
    ASSIGN_OR_RETURN(std::vector<UndoEntry> entries, FindEntries(context, Content::kWhole, tx));
    ASSIGN_OR_RETURN(Targets targets, TargetsOf(std::move(entries), context, tx, may_use_));
    for (Target& target : targets) {
      const absl::Status reversed = reversal_.InStore(std::exchange(target.entry.changes, {}), tx);
      if (!reversed.ok()) {
        return targets.size() == 1 ? reversed : AboutChange(target.entry.id, target.entry.description, reversed);
      }
      RETURN_IF_ERROR(MarkUndone(target.entry, tx));
    }
    return OutputOf(targets);
  }

  absl::StatusOr<Acted> RunAsEffect(ToolContext& context, EffectSession& session) const {
    if (context.dry_run) {
      ASSIGN_OR_RETURN(const Targets outline, FindTargets(context, Content::kOutline, session));
      if (!CanBeTried(outline)) return Acted{OutputOf(outline), nullptr};
    }
    ASSIGN_OR_RETURN(Targets targets, FindTargets(context, Content::kWhole, session));
    return Act(std::move(targets), context, session);
  }

  // Completes the undo: its reversals are idempotent, and its entries are not marked as undone yet. If a reversal is no
  // longer possible, everything before it is restored before the failure is reported.
  absl::StatusOr<Recovered> Resume(ToolContext& context, EffectSession& session) const {
    // It has not begun, and what it meant to undo may not be what its arguments mean now.
    if (session.checkpoint().empty()) return Recovered{Recovered::Outcome::kRolledBack, {}};
    absl::StatusOr<Targets> targets = FindTargets(context, Content::kWhole, session);
    if (!targets.ok()) {
      if (!GetToolError(targets.status()).has_value()) return targets.status();
      return Recovered{Recovered::Outcome::kUnknown, {}};
    }
    absl::StatusOr<Acted> acted = Act(*std::move(targets), context, session);
    if (acted.ok()) return Recovered{Recovered::Outcome::kFinished, *std::move(acted)};
    if (!GetToolError(acted.status()).has_value()) return acted.status();
    return Recovered{Recovered::Outcome::kRolledBack, {}};
  }

  const ChangeReversal& reversal() const { return reversal_; }

 private:
  // An undo that was interrupted goes on with the entries that it began with. It has passed the check of permissions,
  // and recovery knows nothing of the caller's.
  absl::StatusOr<Targets> FindTargets(const ToolContext& context, Content content, EffectSession& session) const {
    const bool resumes = !session.checkpoint().empty();
    Targets targets;
    RETURN_IF_ERROR(session.Read([&](ReadView& view) -> absl::Status {
      ASSIGN_OR_RETURN(std::vector<UndoEntry> entries,
                       resumes ? EntriesOf(session.checkpoint(), context, view) : FindEntries(context, content, view));
      ASSIGN_OR_RETURN(targets, TargetsOf(std::move(entries), context, view, resumes ? nullptr : may_use_));
      return absl::OkStatus();
    }));
    return targets;
  }

  // In a dry run: without acting on anything outside of the store, and without holding up others for long.
  bool CanBeTried(const Targets& targets) const {
    int64_t things = 0;
    for (const Target& target : targets) {
      things += ThingsIn(target.entry);
      if (reversal_.ActsOutside(target.entry.changes)) return false;
    }
    return things <= storage::kMaxTriedChanges;
  }

  absl::StatusOr<Acted> Act(Targets targets, ToolContext& context, EffectSession& session) const {
    if (session.checkpoint().empty() && !context.dry_run) {
      RETURN_IF_ERROR(session.Checkpoint(CheckpointOf(targets)));
    }
    ToolOutput output = OutputOf(targets);
    auto calls = std::make_shared<std::vector<CallChange>>();
    for (Target& target : targets) {
      calls->push_back({std::exchange(target.entry.changes, {}), target.entry.id, target.entry.description});
    }
    ASSIGN_OR_RETURN(Acted acted, reversal_.AsEffect(std::move(calls), context, session));
    acted.output = std::move(output);
    acted.settle = [targets = std::move(targets), reverse = std::move(acted.settle)](Transaction& tx) {
      absl::Status status = reverse(tx);
      for (const Target& target : targets) {
        if (status.ok()) status = MarkUndone(target.entry, tx);
      }
      return status;
    };
    return acted;
  }

  static std::string CheckpointOf(const Targets& targets) {
    return absl::StrJoin(targets, " ", [](std::string* out, const Target& target) { *out += target.entry.id; });
  }
  static absl::StatusOr<std::vector<UndoEntry>> EntriesOf(std::string_view checkpoint, const ToolContext& context,
                                                          ReadView& view) {
    return Load(absl::StrSplit(ToAbsl(checkpoint), ' '), context, Content::kWhole, view);
  }

  static absl::StatusOr<std::vector<UndoEntry>> FindEntries(const ToolContext& context, Content content,
                                                            ReadView& view) {
    if (const std::optional<UndoGroup> group = GroupOf(context)) {
      ASSIGN_OR_RETURN(const std::vector<std::string> ids, IdsOf(*group, context, view));
      return Load(ids, context, content, view);
    }
    if (const std::optional<std::string> id = OptionalString(context.arguments, "entryId")) {
      return Load({*id}, context, content, view);
    }
    std::vector<UndoEntry> entries(1);
    ASSIGN_OR_RETURN(entries.front(), FindTop(context, content, view));
    return entries;
  }

  // Several are held in memory together, all others wait for their undo, and it must fit an entry.
  static absl::StatusOr<std::vector<UndoEntry>> Load(const std::vector<std::string>& ids, const ToolContext& context,
                                                     Content content, ReadView& view) {
    // None is held before it is known that all together are not too much.
    const bool several = ids.size() > 1;
    if (several && content == Content::kWhole) RETURN_IF_ERROR(Load(ids, context, Content::kOutline, view).status());
    std::vector<UndoEntry> entries;
    int64_t bytes = 0;
    int64_t things = 0;
    for (const std::string& id : ids) {
      ASSIGN_OR_RETURN(entries.emplace_back(), FindEntry(context, id, content, view));
      bytes += BytesOf(entries.back());
      things += ThingsIn(entries.back());
      if (entries.size() == 1) continue;
      if (bytes > storage::kMaxUndoBytes) {
        return TooMuchTogether(
            ids.size(), absl::StrCat(storage::FormatBytes(storage::kMaxUndoBytes), " that one undo can keep of them"));
      }
      if (things > storage::kMaxChangedThings) {
        return TooMuchTogether(
            ids.size(), absl::StrCat(storage::kMaxChangedThings, " blocks, links and documents that one undo touches"));
      }
    }
    return entries;
  }

  // `may_use` null: nothing is asked.
  static absl::StatusOr<Targets> TargetsOf(std::vector<UndoEntry> entries, const ToolContext& context, ReadView& view,
                                           const MayUseTool& may_use) {
    Targets targets;
    for (UndoEntry& entry : entries) {
      absl::StatusOr<std::string> description = CheckTarget(entry, context, view, may_use);
      if (!description.ok()) {
        return entries.size() == 1 ? description.status()
                                   : AboutChange(entry.id, entry.description, description.status());
      }
      targets.push_back({std::move(entry), *std::move(description)});
    }
    return targets;
  }

  // Answers the description of the changes that the entry concerns, whose tools' permissions the undo needs: the entry
  // of an undo concerns the changes that the undo took back.
  static absl::StatusOr<std::string> CheckTarget(const UndoEntry& entry, const ToolContext& context, ReadView& view,
                                                 const MayUseTool& may_use) {
    RETURN_IF_ERROR(CheckUndoable(entry));
    if (!entry.is_undo()) {
      RETURN_IF_ERROR(CheckMayUse(entry.tool_id, context, may_use));
      return entry.description;
    }
    std::vector<std::string> descriptions;
    for (const std::string& id : entry.undoes) {
      ASSIGN_OR_RETURN(const std::optional<UndoEntry> original, view.OutlineUndoEntry(entry.user_id, id));
      if (!original.has_value()) {
        return absl::InternalError("an undo is on the stack without the change that it took back");
      }
      RETURN_IF_ERROR(CheckMayUse(original->tool_id, context, may_use));
      descriptions.push_back(original->description);
    }
    return Describe(descriptions);
  }

  static absl::Status CheckMayUse(const std::string& tool, const ToolContext& context, const MayUseTool& may_use) {
    if (may_use == nullptr || may_use(context.caller, tool)) return absl::OkStatus();
    return MakeError(ErrorCode::kForbidden,
                     absl::StrCat("undoing a change of ", tool, " needs the permissions of ", tool));
  }

  static absl::Status MarkUndone(const UndoEntry& entry, Transaction& tx) {
    RETURN_IF_ERROR(tx.SetUndone(entry.user_id, entry.id, true));
    for (const std::string& id : entry.undoes) RETURN_IF_ERROR(tx.SetUndone(entry.user_id, id, false));
    return absl::OkStatus();
  }

  static ToolOutput OutputOf(const Targets& targets) {
    ToolOutput output;
    Json undone = Json::array();
    std::vector<std::string> descriptions;
    for (const Target& target : targets) {
      const UndoEntry& entry = target.entry;
      if (entry.is_undo()) {
        output.revives = entry.undoes;
      } else {
        output.undoes.push_back(entry.id);
      }
      descriptions.push_back(target.description);
      const std::string description = absl::StrCat(entry.is_undo() ? "Redid: " : "Undid: ", target.description);
      undone.push_back({{"undoneEntryId", entry.id}, {"toolId", entry.tool_id}, {"description", description}});
    }
    if (targets.size() == 1) {
      output.description = undone[0]["description"].get<std::string>();
      output.data_json = DumpJson(undone[0]);
    } else {
      output.description = absl::StrCat("Undid ", Describe(descriptions));
      output.data_json = DumpJson(Json{{"undone", std::move(undone)}, {"description", output.description}});
    }
    return output;
  }

  const MayUseTool may_use_;
  const ChangeReversal reversal_;
};

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
  handlers.recover = [undo](ToolContext& context, EffectSession& session) { return undo->Resume(context, session); };
  handlers.reverse = [undo](const storage::Changes& changes, ToolContext& context, EffectSession& session) {
    return undo->reversal().AsEffect(std::make_shared<const std::vector<CallChange>>(1, CallChange{changes, "", ""}),
                                     context, session);
  };
  return handlers;
}

}  // namespace toolgate::executors::undo
