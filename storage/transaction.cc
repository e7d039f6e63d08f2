// The rules for blocks, links and documents that every backend shares.
#include "storage/transaction.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/block_states.h"
#include "storage/change_bound.h"
#include "storage/store_errors.h"

namespace toolgate::storage {
namespace {

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
constexpr size_t kMaxRelation = 64;

// Blocks that a transaction keeps after it has read them, and bytes of their data.
constexpr size_t kMaxKnown = 10'000;
constexpr int64_t kMaxKnownBytes = int64_t{16} << 20;
// Places that it keeps.
constexpr size_t kMaxPlaces = 20'000;

// Blocks that are removed at once.
constexpr size_t kRemovedAtOnce = 1024;

// `height`: of the blocks below the block at `level`, including itself.
absl::Status TooDeep(std::string_view id, int64_t level, int64_t height) {
  const int64_t highest = kMaxBlockDepth - height;
  const std::string remedy = highest > 0    ? absl::StrCat("put it below a block at level ", highest, " or higher up")
                             : highest == 0 ? "put it at the root"
                                            : "move some of what is below it elsewhere first";
  return BlockError(
      ErrorCode::kInvalidParams,
      absl::StrCat("blocks lie at most ", kMaxBlockDepth, " levels deep, the root's being level 1, and this one ",
                   height > 1 ? "would reach down" : "would lie at", height > 1 ? " to level " : " level ",
                   level + height - 1, "; ", remedy),
      id, {{"maxDepth", absl::StrCat(kMaxBlockDepth)}});
}

// An undo of several changes may restore the content that it found, but of an earlier change. Its own undo must tell.
bool SameState(const Block& a, const Block& b) { return SameContent(a, b) && a.change_id == b.change_id; }

bool SameLink(const Link& a, const Link& b) { return a.change_id == b.change_id; }

bool SameDocument(const Document& a, const Document& b) { return a.json == b.json; }

absl::Time WholeMicros(absl::Time time) { return absl::FromUnixMicros(absl::ToUnixMicros(time)); }

}  // namespace

// ---- Known blocks ---------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<Block>> Transaction::FindBlock(std::string_view id) {
  auto known = known_.find(ToAbsl(id));
  if (known != known_.end()) {
    RETURN_IF_ERROR(cancellation_.Check());
  } else {
    RETURN_IF_ERROR(Know({id}));
    known = known_.find(ToAbsl(id));
  }
  absl::StatusOr<std::optional<Block>> block(std::nullopt);
  if (known->second.has_value()) block->emplace(*known->second);
  return block;
}

absl::Status Transaction::Know(Ids ids) {
  std::vector<std::string_view> unknown;
  for (const std::string_view id : ids) {
    if (!known_.contains(ToAbsl(id))) unknown.push_back(id);
  }
  if (unknown.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::vector<Block> blocks, rows().blocks().Find(unknown));
  Remember(std::move(blocks));
  for (const std::string_view id : unknown) known_.try_emplace(ToAbsl(id));
  return absl::OkStatus();
}

absl::Status Transaction::KnowPlaces(Ids ids) {
  std::vector<std::string> unknown;
  for (const std::string_view id : ids) {
    std::string ancestor(id);
    // The limit ends the way up if blocks form a circle.
    for (int64_t level = 0; !ancestor.empty() && level <= kMaxBlockDepth; ++level) {
      const auto known = places_.find(ancestor);
      if (known == places_.end()) {
        unknown.push_back(std::move(ancestor));
        break;
      }
      if (!known->second.has_value()) break;
      ancestor = known->second->parent_id;
    }
  }
  if (unknown.empty()) return cancellation_.Check();
  const std::vector<std::string_view> wanted(unknown.begin(), unknown.end());
  ASSIGN_OR_RETURN(std::vector<BlockPlace> places, rows().blocks().FindPlaces(wanted));
  if (places_.size() > kMaxPlaces) places_.clear();
  for (BlockPlace& place : places) {
    std::string id = place.id;
    places_.insert_or_assign(std::move(id), std::move(place));
  }
  for (std::string& id : unknown) places_.try_emplace(std::move(id));
  return absl::OkStatus();
}

absl::StatusOr<std::optional<BlockPlace>> Transaction::FindPlace(const std::string& id) {
  if (id.empty()) return std::nullopt;  // The root is no block.
  auto known = places_.find(id);
  if (known == places_.end()) {
    RETURN_IF_ERROR(KnowPlaces({id}));
    known = places_.find(id);
  }
  return known->second;
}

absl::StatusOr<BlockPlace> Transaction::GetPlace(const std::string& id) {
  ASSIGN_OR_RETURN(std::optional<BlockPlace> place, FindPlace(id));
  if (!place.has_value()) return NoSuchBlock(id);
  return *std::move(place);
}

void Transaction::Remember(std::vector<Block> blocks) {
  for (const Block& block : blocks) known_bytes_ += static_cast<int64_t>(block.data.size());
  if (known_.size() + blocks.size() > kMaxKnown || known_bytes_ > kMaxKnownBytes) known_.clear();
  if (known_.empty()) {
    known_bytes_ = 0;
    for (const Block& block : blocks) known_bytes_ += static_cast<int64_t>(block.data.size());
  }
  for (Block& block : blocks) {
    std::string id = block.id;
    known_.insert_or_assign(std::move(id), Image<Block>(std::move(block)));
  }
}

void Transaction::Forget() {
  known_.clear();
  known_bytes_ = 0;
  places_.clear();
  last_ranks_.clear();
  rank_generations_.clear();
  undo_heads_.reset();
}

absl::Status Transaction::WriteRows(absl::Span<const BlockDelta> steps) {
  std::vector<BlockWrite> writes;
  writes.reserve(steps.size());
  for (const BlockDelta& step : steps) {
    BlockWrite& write = writes.emplace_back();
    write.before = step.before ? &*step.before : nullptr;
    write.after = step.after ? &*step.after : nullptr;
    write.index = IndexChangeOf(rules_.fields, write.before, write.after);
  }
  RETURN_IF_ERROR(rows().blocks().Write(writes));
  for (const BlockDelta& step : steps) NoteRow(step);
  return absl::OkStatus();
}

// NOLINTBEGIN(clang-analyzer-core.uninitialized.UndefReturn): a delta has one of the two.
void Transaction::NoteRow(const BlockDelta& step) {
  const bool moved = !step.before || !step.after || !SamePlace(*step.before, *step.after);
  if (step.before && moved) last_ranks_.erase(step.before->parent_id);
  if (step.after && moved) {
    const auto last = last_ranks_.find(step.after->parent_id);
    if (last != last_ranks_.end()) last->second = std::max(last->second, step.after->rank);
  }
  if (step.after) {
    known_bytes_ += static_cast<int64_t>(step.after->data.size());
    if (known_bytes_ > kMaxKnownBytes || known_.size() > kMaxKnown) {
      known_.clear();
      known_bytes_ = 0;
    }
    known_.insert_or_assign(step.after->id, step.after);
    if (places_.size() >= kMaxPlaces) places_.clear();
    places_.insert_or_assign(step.after->id, BlockPlace{step.after->id, step.after->parent_id, step.after->change_id});
  } else {
    known_.erase(step.before->id);
    places_.erase(step.before->id);
  }
}
// NOLINTEND(clang-analyzer-core.uninitialized.UndefReturn)

absl::Status Transaction::MakeSteps(absl::Span<const BlockDelta> steps) {
  RETURN_IF_ERROR(WriteRows(steps));
  for (const BlockDelta& step : steps) {
    if (step.before && (!step.after || !SamePlace(*step.before, *step.after))) {
      RETURN_IF_ERROR(RecordPlaced(*step.before, step.after));
    } else {
      RETURN_IF_ERROR(Record(step.before, step.after));
    }
  }
  return absl::OkStatus();
}

// ---- Recorded changes -----------------------------------------------------------------------------------------------

absl::Status Transaction::Record(Image<Block> before, Image<Block> after) {
  block_log_.Record(std::move(before), std::move(after), nesting_ > 0);
  return CheckUndoBound();
}

int64_t Transaction::RecordedBytes() const {
  return block_log_.bytes() + link_log_.bytes() + document_log_.bytes() + effect_bytes_;
}

int64_t Transaction::RecordedThings() const {
  return static_cast<int64_t>(block_log_.things() + link_log_.things() + document_log_.things() + effects_.size());
}

absl::Status Transaction::CheckUndoBound() const {
  if (max_changed_.has_value() && RecordedThings() > *max_changed_) return TooMuchToTry(*max_changed_);
  if (undo_bound_lifted_) return absl::OkStatus();
  if (RecordedThings() > kMaxChangedThings) return TooMuchInOneChange();
  return RecordedBytes() <= max_undo_bytes() ? absl::OkStatus() : TooMuchToUndo(max_undo_bytes());
}

Transaction::Mark Transaction::MarkLogs() const {
  return {block_log_.steps(), link_log_.steps(), document_log_.steps(),
          effects_.size(),    audit_.size(),     signals_.size()};
}

void Transaction::ForgetSince(const Mark& mark) {
  block_log_.ForgetSince(mark.blocks);
  link_log_.ForgetSince(mark.links);
  document_log_.ForgetSince(mark.documents);
  for (; effects_.size() > mark.effects; effects_.pop_back()) effect_bytes_ -= UndoBytes(effects_.back());
  audit_.resize(mark.audit);
  signals_.resize(mark.signals);
  Forget();
}

Changes Transaction::changes() const {
  Changes changes;
  changes.blocks = block_log_.Deltas(SameState);
  changes.links = link_log_.Deltas(SameLink);
  changes.documents = document_log_.Deltas(SameDocument);
  changes.effects = effects_;
  return changes;
}

Changes Transaction::ChangesSince(const Mark& mark) const {
  Changes changes;
  changes.blocks = block_log_.DeltasSince(mark.blocks, SameState);
  changes.links = link_log_.DeltasSince(mark.links, SameLink);
  changes.documents = document_log_.DeltasSince(mark.documents, SameDocument);
  changes.effects.assign(effects_.begin() + static_cast<std::ptrdiff_t>(mark.effects), effects_.end());
  return changes;
}

absl::Status Transaction::RecordEffect(Effect effect) {
  effect_bytes_ += UndoBytes(effects_.emplace_back(std::move(effect)));
  return CheckUndoBound();
}

absl::Status Transaction::Nested(absl::FunctionRef<absl::Status()> body, Changes* changed) {
  RETURN_IF_ERROR(rows().BeginNested());
  const Mark mark = MarkLogs();
  ++nesting_;
  const absl::Status status = body();
  --nesting_;
  if (!status.ok()) {
    ForgetSince(mark);
  } else if (changed != nullptr) {
    *changed = ChangesSince(mark);
  }
  const absl::Status ended = rows().EndNested(status.ok());
  if (nesting_ == 0) {
    block_log_.ForgetSteps();
    link_log_.ForgetSteps();
    document_log_.ForgetSteps();
  }
  return status.ok() ? ended : status;
}

absl::Status Transaction::Finish() {
  if (!audit_.empty()) RETURN_IF_ERROR(rows().AppendAudit(std::move(audit_)));
  return rows().Flush();
}

// ---- Changes --------------------------------------------------------------------------------------------------------

absl::StatusOr<Block> Transaction::CreateBlock(const NewBlock& block) {
  if (block.id.size() > 128) {
    return BlockError(ErrorCode::kInvalidParams, "a block's id has at most 128 characters", block.id);
  }
  ASSIGN_OR_RETURN(const int64_t level_above, LevelOf(block.parent_id));
  if (level_above >= kMaxBlockDepth) return TooDeep(block.id, level_above + 1, 1);
  if (!block.id.empty()) {
    ASSIGN_OR_RETURN(const std::optional<Block> taken, FindBlock(block.id));
    if (taken.has_value()) {
      return BlockError(ErrorCode::kConflict, absl::StrCat("there is a block ", block.id, " already"), block.id);
    }
  }
  return Create(block);
}

absl::StatusOr<Block> Transaction::Create(const NewBlock& wanted) {
  Block block;
  block.id = wanted.id.empty() ? rules_.ids.NewId(context_.now) : wanted.id;
  block.type = wanted.type;
  block.parent_id = wanted.parent_id;
  block.data = wanted.data;
  ASSIGN_OR_RETURN(block.rank, ChooseRank(wanted.parent_id, wanted.position, "", ""));
  // A block that this transaction deleted may be created again; its version still only grows.
  const BlockDelta* earlier = block_log_.Find(block.id);
  block.version = earlier != nullptr && earlier->before ? earlier->before->version + 1 : 1;
  block.change_id = context_.change_id;
  block.created_by = block.updated_by = context_.user_id;
  block.created_at = block.updated_at = WholeMicros(context_.now);
  RETURN_IF_ERROR(MakeSteps({BlockDelta{std::nullopt, block}}));
  last_ranks_[block.id] = "";
  return block;
}

Block Transaction::Changed(const Block& present, Block changed) const {
  changed.version = present.version + 1;
  changed.change_id = context_.change_id;
  changed.updated_by = context_.user_id;
  changed.updated_at = WholeMicros(context_.now);
  // Back to the original state: the content is again that of the earlier change.
  const BlockDelta* earlier = block_log_.Find(changed.id);
  if (earlier != nullptr && earlier->before && SameContent(*earlier->before, changed)) {
    changed.change_id = earlier->before->change_id;
    changed.updated_by = earlier->before->updated_by;
    changed.updated_at = earlier->before->updated_at;
  }
  return changed;
}

absl::StatusOr<Block> Transaction::Write(const Block& present, Block changed) {
  if (SameContent(present, changed)) return present;
  changed = Changed(present, std::move(changed));
  RETURN_IF_ERROR(MakeSteps({BlockDelta{present, changed}}));
  return changed;
}

absl::StatusOr<Block> Transaction::UpdateBlock(std::string_view id, std::string_view data,
                                               std::optional<int64_t> expected_version) {
  ASSIGN_OR_RETURN(const Block present, GetBlock(id));
  if (expected_version.has_value() && *expected_version != present.version) {
    return BlockError(
        ErrorCode::kConflict,
        absl::StrCat("block ", ToAbsl(id), " is at version ", present.version, ", not ", *expected_version), id,
        {{"version", absl::StrCat(present.version)}, {"changeId", present.change_id}});
  }
  Block changed = present;
  changed.data = data;
  return Write(present, std::move(changed));
}

absl::StatusOr<Block> Transaction::MoveBlock(std::string_view id, std::string_view parent_id,
                                             std::optional<int64_t> position, std::optional<std::string_view> data) {
  ASSIGN_OR_RETURN(Block present, GetBlock(id));
  RETURN_IF_ERROR(KnowPlaces({parent_id, present.parent_id}));
  RETURN_IF_ERROR(CheckMoveTarget(id, parent_id));
  RETURN_IF_ERROR(CheckMoveDepth(present, parent_id));
  const std::string_view present_rank = present.parent_id == parent_id ? present.rank : std::string_view();
  ASSIGN_OR_RETURN(const int64_t generation, RankGeneration(parent_id));
  ASSIGN_OR_RETURN(std::string rank, ChooseRank(parent_id, position, id, present_rank));
  ASSIGN_OR_RETURN(const int64_t present_generation, RankGeneration(parent_id));
  // The block's own rank may have been rewritten with those of its siblings.
  if (present_generation != generation) {
    ASSIGN_OR_RETURN(present, GetBlock(id));
  }
  Block changed = present;
  changed.parent_id = parent_id;
  changed.rank = std::move(rank);
  if (data.has_value()) changed.data = *data;
  return Write(present, std::move(changed));
}

absl::Status Transaction::CheckMoveTarget(std::string_view id, std::string_view parent_id) {
  std::string ancestor(parent_id);
  while (!ancestor.empty()) {
    if (ancestor == id) {
      return BlockError(ErrorCode::kConflict, absl::StrCat("block ", ToAbsl(id), " cannot be moved below itself"), id);
    }
    ASSIGN_OR_RETURN(BlockPlace place, GetPlace(ancestor));
    ancestor = std::move(place.parent_id);
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Transaction::LevelOf(std::string_view id) {
  int64_t level = 0;
  for (std::string ancestor(id); !ancestor.empty(); ++level) {
    ASSIGN_OR_RETURN(BlockPlace place, GetPlace(ancestor));
    ancestor = std::move(place.parent_id);
  }
  return level;
}

// A block that does not move further down may stay too deep.
absl::Status Transaction::CheckMoveDepth(const Block& block, std::string_view parent_id) {
  if (parent_id == block.parent_id) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t level_above, LevelOf(parent_id));
  ASSIGN_OR_RETURN(const int64_t present_level_above, LevelOf(block.parent_id));
  if (level_above <= present_level_above) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t height, rows().blocks().MeasureHeight(block.id, kMaxBlockDepth + 1));
  if (level_above + height <= kMaxBlockDepth) return absl::OkStatus();
  return TooDeep(block.id, level_above + 1, height);
}

absl::StatusOr<Deletion> Transaction::DeleteBlock(std::string_view id, Children children) {
  ASSIGN_OR_RETURN(Block block, GetBlock(id));
  RETURN_IF_ERROR(CheckDeletion(block, children));
  std::vector<Block> blocks;
  if (children == Children::kDelete) {
    ASSIGN_OR_RETURN(blocks, rows().blocks().ListBelow(id));
    blocks.insert(blocks.begin(), std::move(block));
  } else {
    RETURN_IF_ERROR(MoveChildrenUp(block));
    // Its own rank may have been rewritten with those of its siblings.
    ASSIGN_OR_RETURN(blocks.emplace_back(), GetBlock(id));
  }
  return Remove(std::move(blocks));
}

absl::StatusOr<bool> Transaction::IsLargerThan(const Block& block, Children children, int64_t limit) {
  int64_t count = 0;
  const auto visit = [&](std::string_view, int64_t) { return ++count <= limit; };
  const Below below = children == Children::kDelete ? Below::kAll : Below::kChildren;
  RETURN_IF_ERROR(rows().blocks().VisitSizes(block.id, below, visit));
  return count > limit;
}

absl::Status Transaction::CheckDeletion(const Block& block, Children children) {
  if (max_changed_.has_value()) {
    ASSIGN_OR_RETURN(const bool too_large, IsLargerThan(block, children, *max_changed_ - RecordedThings()));
    if (too_large) return TooMuchToTry(*max_changed_);
  }
  if (undo_bound_lifted_) return absl::OkStatus();
  ASSIGN_OR_RETURN(DeletionSize size, MeasureDeletion(block, children, Measure::kUntilTooMuch, 0));
  size.undo_bytes += RecordedBytes();
  return CheckUndoFits(size, block);
}

absl::StatusOr<Deletion> Transaction::Remove(std::vector<Block> blocks) {
  Deletion deletion;
  while (!blocks.empty()) {
    const size_t begin = blocks.size() - std::min(blocks.size(), kRemovedAtOnce);
    RETURN_IF_ERROR(RemovePiece(absl::MakeSpan(blocks).subspan(begin), deletion));
    blocks.resize(begin);  // The log has taken them over.
  }
  return deletion;
}

absl::Status Transaction::RemovePiece(absl::Span<Block> blocks, Deletion& deletion) {
  std::vector<BlockDelta> steps;
  steps.reserve(blocks.size());
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    steps.push_back({std::move(*block), std::nullopt});
  }
  std::vector<std::string_view> ids;
  std::vector<std::string_view> parents;
  for (const BlockDelta& step : steps) {
    ids.push_back(step.before->id);
    parents.push_back(step.before->parent_id);
  }
  ASSIGN_OR_RETURN(std::vector<Link> links, rows().links().FindOfBlocks(ids));
  RETURN_IF_ERROR(RemoveLinks(links));
  std::move(links.begin(), links.end(), std::back_inserter(deletion.links));
  RETURN_IF_ERROR(KnowRankGenerations(parents));
  RETURN_IF_ERROR(MakeSteps(steps));
  deletion.blocks += static_cast<int64_t>(steps.size());
  return absl::OkStatus();
}

// The children take the place of the block among its siblings, in their order. Their places are found at once: one by
// one each would count its way through those before it.
absl::Status Transaction::MoveChildrenUp(const Block& block) {
  ASSIGN_OR_RETURN(std::vector<Block> children, ListChildren(block.id, kAll));
  if (children.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<std::string> ranks, ChooseRanksAfter(block, children.size()));
  std::vector<BlockDelta> steps;
  steps.reserve(children.size());
  for (size_t i = 0; i < children.size(); ++i) {
    Block changed = children[i];
    changed.parent_id = block.parent_id;
    changed.rank = ranks[i];
    changed = Changed(children[i], std::move(changed));
    steps.push_back({std::move(children[i]), std::move(changed)});
  }
  return MakeSteps(steps);
}

// ---- Links and documents --------------------------------------------------------------------------------------------

absl::StatusOr<Link> Transaction::CreateLink(std::string_view from_id, std::string_view to_id,
                                             std::string_view relation) {
  if (relation.empty() || relation.size() > kMaxRelation) {
    return LinkError(ErrorCode::kInvalidParams, from_id, to_id, relation, "needs a relation of 1 to 64 characters");
  }
  RETURN_IF_ERROR(KnowPlaces({from_id, to_id}));
  for (const std::string_view id : {from_id, to_id}) RETURN_IF_ERROR(GetPlace(std::string(id)).status());
  ASSIGN_OR_RETURN(const std::optional<Link> present, FindLink(from_id, to_id, relation));
  if (present.has_value()) return LinkError(ErrorCode::kConflict, *present, "exists already");
  Link link;
  link.from_id = from_id;
  link.to_id = to_id;
  link.relation = relation;
  link.change_id = context_.change_id;
  link.created_by = context_.user_id;
  link.created_at = WholeMicros(context_.now);
  RETURN_IF_ERROR(AddLinks({link}));
  return link;
}

absl::Status Transaction::DeleteLink(std::string_view from_id, std::string_view to_id, std::string_view relation) {
  ASSIGN_OR_RETURN(const std::optional<Link> link, FindLink(from_id, to_id, relation));
  if (!link.has_value()) return LinkError(ErrorCode::kNotFound, from_id, to_id, relation, "does not exist");
  return RemoveLinks({*link});
}

absl::Status Transaction::AddLinks(absl::Span<const Link> links) {
  if (links.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(rows().links().Insert(links));
  for (const Link& link : links) link_log_.Record(std::nullopt, link, nesting_ > 0);
  return CheckUndoBound();
}

absl::Status Transaction::RemoveLinks(absl::Span<const Link> links) {
  if (links.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(rows().links().Erase(links));
  for (const Link& link : links) link_log_.Record(link, std::nullopt, nesting_ > 0);
  return CheckUndoBound();
}

absl::Status Transaction::ChangeDocument(std::string_view kind, std::string_view name,
                                         std::optional<std::string> json) {
  ASSIGN_OR_RETURN(std::optional<std::string> present, FindDocument(kind, name));
  if (present == json) return absl::OkStatus();
  const auto state = [&](std::optional<std::string> text) -> std::optional<Document> {
    if (!text.has_value()) return std::nullopt;
    return Document{std::string(kind), std::string(name), *std::move(text)};
  };
  RETURN_IF_ERROR(json.has_value() ? PutDocument(kind, name, *json) : DeleteDocument(kind, name));
  document_log_.Record(state(std::move(present)), state(std::move(json)), nesting_ > 0);
  return CheckUndoBound();
}

}  // namespace toolgate::storage
