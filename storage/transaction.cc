// The rules that every backend shares. A backend provides rows; this file defines the permitted changes to them.
#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/change_bound.h"
#include "storage/rank_map.h"
#include "storage/store.h"

namespace toolgate::storage {
namespace {

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

absl::Status BlockError(ErrorCode code, std::string message, std::string_view block_id,
                        std::vector<std::pair<std::string, std::string>> facts = {}) {
  ToolError error;
  error.code = code;
  error.message = std::move(message);
  error.facts = std::move(facts);
  error.facts.insert(error.facts.begin(), {"blockId", std::string(block_id)});
  return ToStatus(error);
}

absl::Status NoSuchBlock(std::string_view id) {
  return BlockError(ErrorCode::kNotFound, absl::StrCat("there is no block ", ToAbsl(id)), id);
}

// `change_id`: the change that caused the conflict, empty if it left no trace.
absl::Status RevertConflict(std::string_view id, std::string_view change_id, std::string_view why) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (!change_id.empty()) facts.emplace_back("changeId", change_id);
  return BlockError(ErrorCode::kConflict, absl::StrCat("block ", ToAbsl(id), " ", ToAbsl(why)), id, std::move(facts));
}

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

// NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): a delta has one of the two.
const std::string& IdOf(const BlockDelta& delta) { return delta.before ? delta.before->id : delta.after->id; }

constexpr size_t kMaxRelation = 64;

absl::Status LinkError(ErrorCode code, std::string_view from_id, std::string_view to_id, std::string_view relation,
                       std::string_view why) {
  ToolError error;
  error.code = code;
  error.message = absl::StrCat("the link \"", ToAbsl(relation), "\" from ", ToAbsl(from_id), " to ", ToAbsl(to_id), " ",
                               ToAbsl(why));
  error.facts = {{"fromId", std::string(from_id)}, {"toId", std::string(to_id)}, {"relation", std::string(relation)}};
  return ToStatus(error);
}

absl::Status LinkError(ErrorCode code, const Link& link, std::string_view why) {
  return LinkError(code, link.from_id, link.to_id, link.relation, why);
}

bool SamePlace(const Block& a, const Block& b) {
  return a.parent_id == b.parent_id && RankOf(a.rank) == RankOf(b.rank);
}

bool SameContent(const Block& a, const Block& b) { return a.type == b.type && SamePlace(a, b) && a.data == b.data; }

// An undo of several changes may restore the content that it found, but of an earlier change. Its own undo must tell.
bool SameState(const Block& a, const Block& b) { return SameContent(a, b) && a.change_id == b.change_id; }

bool SameLink(const Link& a, const Link& b) { return a.change_id == b.change_id; }

bool SameDocument(const Document& a, const Document& b) { return a.json == b.json; }

absl::Time WholeMicros(absl::Time time) { return absl::FromUnixMicros(absl::ToUnixMicros(time)); }

}  // namespace

absl::StatusOr<Block> ReadView::GetBlock(std::string_view id) {
  absl::StatusOr<std::optional<Block>> block = FindBlock(id);
  RETURN_IF_ERROR(block.status());
  if (!block->has_value()) return NoSuchBlock(id);
  return **std::move(block);
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

absl::Status Transaction::Insert(const Block& block) {
  return InsertRow(block, IndexChangeOf(fields_, nullptr, &block));
}

absl::Status Transaction::Update(const Block& before, const Block& after) {
  return UpdateRow(after, IndexChangeOf(fields_, &before, &after));
}

absl::Status Transaction::Erase(const Block& block) {
  return DeleteRow(block.id, IndexChangeOf(fields_, &block, nullptr));
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
  return RecordedBytes() <= max_undo_bytes_ ? absl::OkStatus() : TooMuchToUndo(max_undo_bytes_);
}

Transaction::Mark Transaction::MarkLogs() const {
  return {block_log_.steps(), link_log_.steps(), document_log_.steps(), effects_.size()};
}

void Transaction::ForgetSince(const Mark& mark) {
  block_log_.ForgetSince(mark.blocks);
  link_log_.ForgetSince(mark.links);
  document_log_.ForgetSince(mark.documents);
  for (; effects_.size() > mark.effects; effects_.pop_back()) effect_bytes_ -= UndoBytes(effects_.back());
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
  RETURN_IF_ERROR(BeginNested());
  const Mark mark = MarkLogs();
  ++nesting_;
  const absl::Status status = body();
  --nesting_;
  if (!status.ok()) {
    ForgetSince(mark);
    rank_generations_.clear();
  } else if (changed != nullptr) {
    *changed = ChangesSince(mark);
  }
  const absl::Status ended = EndNested(status.ok());
  if (nesting_ == 0) {
    block_log_.ForgetSteps();
    link_log_.ForgetSteps();
    document_log_.ForgetSteps();
  }
  return status.ok() ? ended : status;
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
  block.id = wanted.id.empty() ? NewBlockId() : wanted.id;
  block.type = wanted.type;
  block.parent_id = wanted.parent_id;
  block.data = wanted.data;
  ASSIGN_OR_RETURN(block.rank, ChooseRank(wanted.parent_id, wanted.position, block.id, ""));
  // A block that this transaction deleted may be created again; its version still only grows.
  const BlockDelta* earlier = block_log_.Find(block.id);
  block.version = earlier != nullptr && earlier->before ? earlier->before->version + 1 : 1;
  block.change_id = context_.change_id;
  block.created_by = block.updated_by = context_.user_id;
  block.created_at = block.updated_at = WholeMicros(context_.now);
  RETURN_IF_ERROR(Insert(block));
  RETURN_IF_ERROR(Record(std::nullopt, block));
  return block;
}

absl::StatusOr<Block> Transaction::Write(const Block& present, Block changed) {
  if (SameContent(present, changed)) return present;
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
  RETURN_IF_ERROR(Update(present, changed));
  if (SamePlace(present, changed)) {
    RETURN_IF_ERROR(Record(present, changed));
  } else {
    RETURN_IF_ERROR(RecordPlaced(present, changed));
  }
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
    ASSIGN_OR_RETURN(Block block, GetBlock(ancestor));
    ancestor = std::move(block.parent_id);
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Transaction::LevelOf(std::string_view id) {
  int64_t level = 0;
  for (std::string ancestor(id); !ancestor.empty(); ++level) {
    ASSIGN_OR_RETURN(Block block, GetBlock(ancestor));
    ancestor = std::move(block.parent_id);
  }
  return level;
}

absl::StatusOr<int64_t> Transaction::HeightOf(std::string_view id, int64_t limit) {
  int64_t height = 0;
  std::vector<std::string> level = {std::string(id)};
  for (; !level.empty() && height < limit; ++height) {
    std::vector<std::string> below;
    for (const std::string& parent : level) {
      ASSIGN_OR_RETURN(std::vector<std::string> children, ListChildIds(parent));
      std::move(children.begin(), children.end(), std::back_inserter(below));
    }
    level = std::move(below);
  }
  return height;
}

// A block that does not move further down may stay too deep.
absl::Status Transaction::CheckMoveDepth(const Block& block, std::string_view parent_id) {
  if (parent_id == block.parent_id) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t level_above, LevelOf(parent_id));
  ASSIGN_OR_RETURN(const int64_t present_level_above, LevelOf(block.parent_id));
  if (level_above <= present_level_above) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t height, HeightOf(block.id, kMaxBlockDepth + 1));
  if (level_above + height <= kMaxBlockDepth) return absl::OkStatus();
  return TooDeep(block.id, level_above + 1, height);
}

absl::StatusOr<Deletion> Transaction::DeleteBlock(std::string_view id, Children children) {
  ASSIGN_OR_RETURN(Block block, GetBlock(id));
  RETURN_IF_ERROR(CheckDeletion(block, children));
  if (children == Children::kDelete) return RemoveSubtree(std::move(block));
  RETURN_IF_ERROR(MoveChildrenUp(block));
  // Its own rank may have been rewritten with those of its siblings.
  ASSIGN_OR_RETURN(block, GetBlock(id));
  Deletion deletion;
  RETURN_IF_ERROR(Remove(std::move(block), deletion));
  return deletion;
}

absl::StatusOr<bool> Transaction::IsLargerThan(const Block& block, Children children, int64_t limit) {
  std::vector<std::string> found = {block.id};
  const auto count = [&] { return static_cast<int64_t>(found.size()) - 1; };
  for (size_t i = 0; i < found.size() && count() <= limit; ++i) {
    if (i > 0 && children == Children::kMoveToParent) break;
    ASSIGN_OR_RETURN(const std::vector<Block> below, ListChildren(found[i], limit - count() + 1));
    for (const Block& child : below) found.push_back(child.id);
  }
  return count() > limit;
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

absl::Status Transaction::Remove(Block block, Deletion& deletion) {
  ASSIGN_OR_RETURN(std::vector<Link> links, ListLinks(block.id, kAll));
  for (Link& link : links) {
    RETURN_IF_ERROR(RemoveLink(link));
    deletion.links.push_back(std::move(link));
  }
  RETURN_IF_ERROR(Erase(block));
  ++deletion.blocks;
  return RecordPlaced(std::move(block), std::nullopt);
}

absl::StatusOr<Deletion> Transaction::RemoveSubtree(Block top) {
  std::deque<Block> blocks;  // Gives back memory while the log takes the blocks over.
  blocks.push_back(std::move(top));
  for (size_t i = 0; i < blocks.size(); ++i) {
    ASSIGN_OR_RETURN(std::vector<Block> children, ListChildren(blocks[i].id, kAll));
    std::move(children.begin(), children.end(), std::back_inserter(blocks));
  }
  Deletion deletion;
  for (; !blocks.empty(); blocks.pop_back()) RETURN_IF_ERROR(Remove(std::move(blocks.back()), deletion));
  return deletion;
}

// The children take the place of the block among its siblings, in their order. Their places are found at once: one by
// one each would count its way through those before it.
absl::Status Transaction::MoveChildrenUp(const Block& block) {
  ASSIGN_OR_RETURN(std::vector<Block> children, ListChildren(block.id, kAll));
  if (children.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<std::string> ranks, ChooseRanksAfter(block, children.size()));
  for (size_t i = 0; i < children.size(); ++i) {
    Block changed = children[i];
    changed.parent_id = block.parent_id;
    changed.rank = ranks[i];
    RETURN_IF_ERROR(Write(children[i], std::move(changed)).status());
  }
  return absl::OkStatus();
}

// ---- Links and documents --------------------------------------------------------------------------------------------

absl::StatusOr<Link> Transaction::CreateLink(std::string_view from_id, std::string_view to_id,
                                             std::string_view relation) {
  if (relation.empty() || relation.size() > kMaxRelation) {
    return LinkError(ErrorCode::kInvalidParams, from_id, to_id, relation, "needs a relation of 1 to 64 characters");
  }
  for (const std::string_view id : {from_id, to_id}) RETURN_IF_ERROR(GetBlock(id).status());
  ASSIGN_OR_RETURN(const std::optional<Link> present, FindLink(from_id, to_id, relation));
  if (present.has_value()) return LinkError(ErrorCode::kConflict, *present, "exists already");
  Link link;
  link.from_id = from_id;
  link.to_id = to_id;
  link.relation = relation;
  link.change_id = context_.change_id;
  link.created_by = context_.user_id;
  link.created_at = WholeMicros(context_.now);
  RETURN_IF_ERROR(AddLink(link));
  return link;
}

absl::Status Transaction::DeleteLink(std::string_view from_id, std::string_view to_id, std::string_view relation) {
  ASSIGN_OR_RETURN(const std::optional<Link> link, FindLink(from_id, to_id, relation));
  if (!link.has_value()) return LinkError(ErrorCode::kNotFound, from_id, to_id, relation, "does not exist");
  return RemoveLink(*link);
}

absl::Status Transaction::AddLink(const Link& link) {
  RETURN_IF_ERROR(InsertLink(link));
  link_log_.Record(std::nullopt, link, nesting_ > 0);
  return CheckUndoBound();
}

absl::Status Transaction::RemoveLink(const Link& link) {
  RETURN_IF_ERROR(EraseLink(link));
  link_log_.Record(link, std::nullopt, nesting_ > 0);
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

// ---- Undo -----------------------------------------------------------------------------------------------------------

absl::Status Transaction::Revert(Changes changes) { return RevertAs(std::move(changes), Restore::kLater); }

absl::Status Transaction::Apply(const Changes& changes) {
  const auto changed = [](const absl::Status& status) {
    return GetToolError(status).has_value() ? absl::AbortedError(status.message()) : status;
  };
  RETURN_IF_ERROR(changed(RevertAs(InverseOf(changes), Restore::kExact)));
  for (const BlockDelta& delta : changes.blocks) {
    const bool is_placed = delta.after && (!delta.before || !SamePlace(*delta.before, *delta.after));
    if (is_placed) RETURN_IF_ERROR(CheckRankIsFree(delta.after->id));
  }
  return absl::OkStatus();
}

absl::Status Transaction::CheckRankIsFree(const std::string& id) {
  ASSIGN_OR_RETURN(const Block block, GetBlock(id));
  ASSIGN_OR_RETURN(const int64_t place, PlaceOf(block));
  ASSIGN_OR_RETURN(const Neighbours neighbours, FindNeighbours(block.parent_id, place, id));
  if (neighbours.before != block.rank && neighbours.after != block.rank) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat("another block has taken the place of ", id));
}

absl::Status Transaction::RevertAs(Changes changes, Restore restore) {
  LiftUndoBound();
  // Rows have no order among themselves, so all are written first and the forest is checked afterwards. Links have an
  // order: a created one is removed before its ends, and a deleted one restored after them.
  return Nested([&] {
    for (const LinkDelta& delta : changes.links) {
      if (delta.after) RETURN_IF_ERROR(TakeBackNewLink(*delta.after));
    }
    for (BlockDelta& delta : changes.blocks) RETURN_IF_ERROR(RevertOne(delta, restore));
    for (const LinkDelta& delta : changes.links) {
      if (delta.before) RETURN_IF_ERROR(BringBackLink(*delta.before));
    }
    for (const BlockDelta& delta : changes.blocks) RETURN_IF_ERROR(CheckReverted(delta));
    for (const DocumentDelta& delta : changes.documents) RETURN_IF_ERROR(RevertOne(delta));
    return absl::OkStatus();
  });
}

absl::Status Transaction::TakeBackNewLink(const Link& link) {
  ASSIGN_OR_RETURN(const std::optional<Link> present, FindLink(link.from_id, link.to_id, link.relation));
  if (!present.has_value()) return LinkError(ErrorCode::kConflict, link, "has been removed since");
  if (present->change_id != link.change_id) {
    return LinkError(ErrorCode::kConflict, link, "has been removed and made again since");
  }
  return RemoveLink(*present);
}

absl::Status Transaction::BringBackLink(const Link& link) {
  ASSIGN_OR_RETURN(const std::optional<Link> present, FindLink(link.from_id, link.to_id, link.relation));
  if (present.has_value()) return LinkError(ErrorCode::kConflict, link, "has been made again since");
  for (const std::string& id : {link.from_id, link.to_id}) {
    ASSIGN_OR_RETURN(const std::optional<Block> end, FindBlock(id));
    if (!end.has_value()) {
      return LinkError(ErrorCode::kConflict, link, absl::StrCat("cannot come back: block ", id, " is gone"));
    }
  }
  return AddLink(link);
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

absl::Status Transaction::RevertOne(BlockDelta& delta, Restore restore) {
  if (!delta.before && !delta.after) return absl::OkStatus();
  const std::string& id = IdOf(delta);
  ASSIGN_OR_RETURN(std::optional<Block> present, FindBlock(id));
  if (present && !delta.after) return RevertConflict(id, present->change_id, "has been created again since");
  if (!present && delta.after) return RevertConflict(id, "", "has been deleted since");
  if (present && present->change_id != delta.after->change_id) {
    return RevertConflict(id, present->change_id, "has been changed since");
  }
  if (!delta.before) {
    // Links of the change itself are gone by now.
    ASSIGN_OR_RETURN(const std::vector<Link> links, ListLinks(id, 1));
    if (!links.empty()) return RevertConflict(id, links[0].change_id, "has been linked since");
    Deletion deletion;
    return Remove(*std::move(present), deletion);
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
  if (!present) {
    RETURN_IF_ERROR(Insert(restored));
    return Record(std::nullopt, delta.before);
  }
  RETURN_IF_ERROR(Update(*present, restored));
  return RecordPlaced(*std::move(present), delta.before);
}

absl::Status Transaction::CheckReverted(const BlockDelta& delta) {
  if (!delta.before && !delta.after) return absl::OkStatus();
  const std::string& id = IdOf(delta);
  if (!delta.before) {
    ASSIGN_OR_RETURN(const std::vector<Block> children, ListChildren(id, 1));
    if (children.empty()) return absl::OkStatus();
    return RevertConflict(id, children[0].change_id, "has got children since");
  }
  // If its parent is the same, blocks below and above it are affected only by others that are checked themselves.
  if (delta.after && delta.after->parent_id == delta.before->parent_id) return absl::OkStatus();
  std::string ancestor = delta.before->parent_id;
  std::string change_id;
  int64_t level = 1;
  // The limit also ends the way up if other blocks form a circle.
  for (; !ancestor.empty() && level <= kMaxBlockDepth; ++level) {
    if (ancestor == id) return RevertConflict(id, change_id, "would come to lie below itself");
    ASSIGN_OR_RETURN(std::optional<Block> block, FindBlock(ancestor));
    if (!block) return RevertConflict(id, "", absl::StrCat("would come to lie below ", ancestor, ", which is gone"));
    change_id = std::move(block->change_id);
    ancestor = std::move(block->parent_id);
  }
  // Blocks below a restored block were restored with it, and are checked themselves.
  int64_t height = 1;
  if (delta.after) {
    ASSIGN_OR_RETURN(height, HeightOf(id, kMaxBlockDepth + 1));
  }
  if (level + height - 1 <= kMaxBlockDepth) return absl::OkStatus();
  return RevertConflict(id, change_id,
                        absl::StrCat("would come to lie more than ", kMaxBlockDepth,
                                     " levels deep, with what is below it; move what it lay in further up first"));
}

}  // namespace toolgate::storage
