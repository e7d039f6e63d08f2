// Undo: the part of Transaction that restores earlier states, in pieces of many blocks.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/block_states.h"
#include "storage/store_errors.h"
#include "storage/transaction.h"

namespace toolgate::storage {
namespace {

// Of the blocks that are restored at once.
constexpr size_t kPieceDeltas = 1024;
constexpr int64_t kPieceBytes = int64_t{8} << 20;

// `change_id`: the change that caused the conflict, empty if it left no trace.
absl::Status RevertConflict(std::string_view id, std::string_view change_id, std::string_view why) {
  Facts facts;
  if (!change_id.empty()) facts.emplace_back("changeId", change_id);
  return BlockError(ErrorCode::kConflict, absl::StrCat("block ", ToAbsl(id), " ", ToAbsl(why)), id, std::move(facts));
}

// NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): a delta has one of the two.
const std::string& IdOf(const BlockDelta& delta) { return delta.before ? delta.before->id : delta.after->id; }

bool IsEmpty(const BlockDelta& delta) { return !delta.before && !delta.after; }

// Calls `run` with pieces of the deltas.
template <typename Run>
absl::Status ForEachPiece(absl::Span<BlockDelta> deltas, Run run) {
  while (!deltas.empty()) {
    size_t end = 0;
    for (int64_t bytes = 0; end < std::min(deltas.size(), kPieceDeltas) && (end == 0 || bytes < kPieceBytes); ++end) {
      bytes += UndoBytes(deltas[end]);
    }
    RETURN_IF_ERROR(run(deltas.first(end)));
    deltas.remove_prefix(end);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Transaction::Revert(Changes changes) { return RevertAs(std::move(changes), Restore::kLater); }

absl::Status Transaction::Apply(const Changes& changes) {
  const auto changed = [](const absl::Status& status) {
    return GetToolError(status).has_value() ? absl::AbortedError(status.message()) : status;
  };
  RETURN_IF_ERROR(changed(RevertAs(InverseOf(changes), Restore::kExact)));
  std::vector<std::string_view> placed;
  for (const BlockDelta& delta : changes.blocks) {
    if (delta.after && (!delta.before || !SamePlace(*delta.before, *delta.after))) placed.push_back(delta.after->id);
  }
  if (placed.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<std::string> shared, rows().blocks().FindSharedRanks(placed));
  if (shared.empty()) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat("another block has taken the place of ", shared.front()));
}

absl::Status Transaction::RevertAs(Changes changes, Restore restore) {
  LiftUndoBound();
  // Rows have no order among themselves, so all are written first and the forest is checked afterwards. Links have an
  // order: a created one is removed before its ends, and a deleted one restored after them.
  const auto revert = [&](absl::Span<BlockDelta> piece) { return RevertBlocks(piece, restore); };
  Levels levels;
  const auto check = [&](absl::Span<BlockDelta> piece) {
    absl::Status status = CheckChildless(piece);
    return status.ok() ? CheckWaysUp(piece, levels) : status;
  };
  return Nested([&] {
    const absl::Span<BlockDelta> blocks = absl::MakeSpan(changes.blocks);
    RETURN_IF_ERROR(EraseNewLinks(changes.links));
    RETURN_IF_ERROR(ForEachPiece(blocks, revert));
    RETURN_IF_ERROR(RestoreLinks(changes.links));
    RETURN_IF_ERROR(ForEachPiece(blocks, check));
    for (const DocumentDelta& delta : changes.documents) RETURN_IF_ERROR(RevertOne(delta));
    return absl::OkStatus();
  });
}

// ---- Links ----------------------------------------------------------------------------------------------------------

absl::Status Transaction::EraseNewLinks(absl::Span<const LinkDelta> deltas) {
  std::vector<LinkKey> keys;
  for (const LinkDelta& delta : deltas) {
    if (delta.after) keys.push_back({delta.after->from_id, delta.after->to_id, delta.after->relation});
  }
  if (keys.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::vector<Link> found, rows().links().Find(keys));
  absl::flat_hash_map<std::string, Link> present;
  for (Link& link : found) present.emplace(KeyOf(link), std::move(link));
  std::vector<Link> erased;
  for (const LinkDelta& delta : deltas) {
    if (!delta.after) continue;
    const auto link = present.find(KeyOf(*delta.after));
    if (link == present.end()) return LinkError(ErrorCode::kConflict, *delta.after, "has been removed since");
    if (link->second.change_id != delta.after->change_id) {
      return LinkError(ErrorCode::kConflict, *delta.after, "has been removed and made again since");
    }
    erased.push_back(link->second);
  }
  return RemoveLinks(erased);
}

absl::Status Transaction::RestoreLinks(absl::Span<const LinkDelta> deltas) {
  std::vector<Link> restored;
  for (const LinkDelta& delta : deltas) {
    if (delta.before) restored.push_back(*delta.before);
  }
  if (restored.empty()) return absl::OkStatus();
  std::vector<LinkKey> keys;
  std::vector<std::string_view> ends;
  for (const Link& link : restored) {
    keys.push_back({link.from_id, link.to_id, link.relation});
    ends.insert(ends.end(), {link.from_id, link.to_id});
  }
  ASSIGN_OR_RETURN(const std::vector<Link> present, rows().links().Find(keys));
  if (!present.empty()) return LinkError(ErrorCode::kConflict, present.front(), "has been made again since");
  RETURN_IF_ERROR(KnowPlaces(ends));
  for (const Link& link : restored) {
    for (const std::string& id : {link.from_id, link.to_id}) {
      ASSIGN_OR_RETURN(const std::optional<BlockPlace> end, FindPlace(id));
      if (!end.has_value()) {
        return LinkError(ErrorCode::kConflict, link, absl::StrCat("cannot come back: block ", id, " is gone"));
      }
    }
  }
  return AddLinks(restored);
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

absl::Status Transaction::RevertBlocks(absl::Span<BlockDelta> deltas, Restore restore) {
  std::vector<std::string_view> ids;
  std::vector<std::string_view> parents;
  for (const BlockDelta& delta : deltas) {
    if (IsEmpty(delta)) continue;
    ids.push_back(IdOf(delta));
    if (delta.before) parents.push_back(delta.before->parent_id);
    if (delta.after) parents.push_back(delta.after->parent_id);
  }
  RETURN_IF_ERROR(Know(ids));
  RETURN_IF_ERROR(KnowRankGenerations(parents));
  std::vector<BlockDelta> steps;
  steps.reserve(deltas.size());
  for (BlockDelta& delta : deltas) {
    if (!IsEmpty(delta)) RETURN_IF_ERROR(PlanRevert(delta, restore, steps));
  }
  RETURN_IF_ERROR(CheckNotLinked(deltas));
  return MakeSteps(steps);
}

absl::Status Transaction::PlanRevert(BlockDelta& delta, Restore restore, std::vector<BlockDelta>& steps) {
  const std::string& id = IdOf(delta);
  ASSIGN_OR_RETURN(std::optional<Block> present, FindBlock(id));
  if (present && !delta.after) return RevertConflict(id, present->change_id, "has been created again since");
  if (!present && delta.after) return RevertConflict(id, "", "has been deleted since");
  if (present && present->change_id != delta.after->change_id) {
    return RevertConflict(id, present->change_id, "has been changed since");
  }
  if (!delta.before) {
    steps.push_back({std::move(present), std::nullopt});
    return absl::OkStatus();
  }
  const bool is_exact = restore == Restore::kExact;
  if (is_exact && present && present->version != delta.after->version) {
    return RevertConflict(id, present->change_id, "has been changed since");
  }
  const bool stayed = present && SamePlace(*delta.before, *delta.after);
  // If it did not move then, its rank in its present place may have been rewritten.
  std::string rank = stayed ? present->rank : delta.before->rank;
  if (!stayed && !is_exact) {
    ASSIGN_OR_RETURN(rank, RestoredRank(*delta.before));
  }
  Block& restored = delta.before.Mutable();
  restored.rank = std::move(rank);
  if (!is_exact) restored.version = (present ? present->version : restored.version) + 1;
  steps.push_back({std::move(present), delta.before});
  return absl::OkStatus();
}

// Links of the change itself are gone by now.
absl::Status Transaction::CheckNotLinked(absl::Span<const BlockDelta> deltas) {
  std::vector<std::string_view> created;
  for (const BlockDelta& delta : deltas) {
    if (!delta.before && delta.after) created.push_back(delta.after->id);
  }
  if (created.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<Link> links, rows().links().FindOfBlocks(created));
  if (links.empty()) return absl::OkStatus();
  const Link& link = links.front();
  const bool is_from = std::ranges::find(created, link.from_id) != created.end();
  return RevertConflict(is_from ? link.from_id : link.to_id, link.change_id, "has been linked since");
}

// ---- The forest afterwards ------------------------------------------------------------------------------------------

absl::Status Transaction::CheckChildless(absl::Span<const BlockDelta> deltas) {
  std::vector<std::string_view> gone;
  for (const BlockDelta& delta : deltas) {
    if (!delta.before && delta.after) gone.push_back(delta.after->id);
  }
  if (gone.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<Block> children, rows().blocks().FindOneChildOfEach(gone));
  if (children.empty()) return absl::OkStatus();
  return RevertConflict(children.front().parent_id, children.front().change_id, "has got children since");
}

absl::Status Transaction::CheckWaysUp(absl::Span<const BlockDelta> deltas, Levels& levels) {
  // If its parent is the same, blocks below and above it are affected only by others that are checked themselves.
  const auto is_checked = [](const BlockDelta& delta) {
    return delta.before && (!delta.after || delta.after->parent_id != delta.before->parent_id);
  };
  std::vector<std::string_view> parents;
  for (const BlockDelta& delta : deltas) {
    if (is_checked(delta) && !levels.contains(delta.before->parent_id)) parents.push_back(delta.before->parent_id);
  }
  RETURN_IF_ERROR(KnowPlaces(parents));
  for (const BlockDelta& delta : deltas) {
    if (is_checked(delta)) RETURN_IF_ERROR(CheckWayUp(delta, levels));
  }
  return absl::OkStatus();
}

absl::Status Transaction::CheckWayUp(const BlockDelta& delta, Levels& levels) {
  const std::string& id = delta.before->id;
  std::vector<std::string> way;  // From the parent up, as far as it is not known to be sound.
  std::string change_id;
  std::string ancestor = delta.before->parent_id;
  // The limit also ends the way up if other blocks form a circle.
  while (!ancestor.empty() && !levels.contains(ancestor) && way.size() < static_cast<size_t>(kMaxBlockDepth)) {
    if (ancestor == id) return RevertConflict(id, change_id, "would come to lie below itself");
    ASSIGN_OR_RETURN(std::optional<BlockPlace> place, FindPlace(ancestor));
    if (!place) return RevertConflict(id, "", absl::StrCat("would come to lie below ", ancestor, ", which is gone"));
    change_id = std::move(place->change_id);
    way.push_back(std::exchange(ancestor, std::move(place->parent_id)));
  }
  const auto known = levels.find(ancestor);
  const bool is_sound = ancestor.empty() || known != levels.end();
  int64_t level = known == levels.end() ? 0 : known->second;
  for (auto above = way.rbegin(); above != way.rend(); ++above) {
    ++level;
    if (is_sound) levels.emplace(*above, level);
  }
  ++level;
  // Blocks below a restored block were restored with it, and are checked themselves.
  int64_t height = 1;
  if (delta.after) {
    ASSIGN_OR_RETURN(height, rows().blocks().MeasureHeight(id, kMaxBlockDepth + 1));
  }
  if (is_sound && level + height - 1 <= kMaxBlockDepth) return absl::OkStatus();
  return RevertConflict(id, change_id,
                        absl::StrCat("would come to lie more than ", kMaxBlockDepth,
                                     " levels deep, with what is below it; move what it lay in further up first"));
}

absl::Status Transaction::RevertOne(const DocumentDelta& delta) {
  const Document& document = delta.before ? *delta.before : *delta.after;
  ASSIGN_OR_RETURN(const std::optional<std::string> present, FindDocument(document.kind, document.name));
  const bool as_left = delta.after ? present == delta.after->json : !present.has_value();
  if (!as_left) {
    return MakeError(ErrorCode::kConflict, absl::StrCat("the ", document.kind, " has been changed since"));
  }
  return ChangeDocument(document.kind, document.name,
                        delta.before ? std::optional<std::string>(delta.before->json) : std::nullopt);
}

}  // namespace toolgate::storage
