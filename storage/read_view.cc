// The rules of reading that every backend shares.
#include "storage/read_view.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "storage/change_bound.h"
#include "storage/fault.h"
#include "storage/store_errors.h"

namespace toolgate::storage {

absl::StatusOr<Block> ReadView::GetBlock(std::string_view id) {
  absl::StatusOr<std::optional<Block>> block = FindBlock(id);
  RETURN_IF_ERROR(block.status());
  if (!block->has_value()) return NoSuchBlock(id);
  return **std::move(block);
}

absl::StatusOr<std::optional<Block>> ReadView::FindBlock(std::string_view id) {
  absl::StatusOr<std::vector<Block>> found = rows_.blocks().Find({id});
  // One return, so that the block is built in place.
  absl::StatusOr<std::optional<Block>> block(std::nullopt);
  if (!found.ok()) {
    block = std::move(found).status();
  } else if (!found->empty()) {
    block->emplace(std::move(found->front()));
  }
  return block;
}

absl::StatusOr<std::vector<Block>> ReadView::ListChildren(std::string_view parent_id, int64_t limit,
                                                          const SiblingPlace& after) {
  return rows_.blocks().ListChildren(parent_id, after, limit);
}

absl::StatusOr<BlockPage> ReadView::FindBlocks(const BlockQuery& query) { return rows_.blocks().Query(query); }

absl::StatusOr<SearchPage> ReadView::Search(const SearchQuery& query) { return rows_.blocks().Search(query); }

absl::StatusOr<DeletionSize> ReadView::MeasureDeletion(const Block& block, Children children, Measure measure,
                                                       size_t max_ids) {
  const bool with_all_below = children == Children::kDelete;
  const int64_t states = with_all_below ? 1 : 2;  // Moving up needs the states before and after.
  DeletionSize size;
  size.max_undo_bytes = max_undo_bytes_;
  size.undo_bytes = UndoBytes(block);
  const auto count = [&](std::string_view id, int64_t data_bytes) {
    const bool too_much = !size.fits() || size.blocks >= kMaxChangedThings;
    if (measure == Measure::kUntilTooMuch && too_much) {
      size.counted_out = false;
      return false;
    }
    ++size.blocks;
    if (size.ids.size() < max_ids) size.ids.emplace_back(id);
    size.undo_bytes += states * (kUndoRowBytes + data_bytes);
    return true;
  };
  const Below below = with_all_below ? Below::kAll : Below::kChildren;
  RETURN_IF_ERROR(rows_.blocks().VisitSizes(block.id, below, count));
  return size;
}

// ---- Links ----------------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<Link>> ReadView::FindLink(std::string_view from_id, std::string_view to_id,
                                                       std::string_view relation) {
  ASSIGN_OR_RETURN(std::vector<Link> found, rows_.links().Find({LinkKey{from_id, to_id, relation}}));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

absl::StatusOr<std::vector<Link>> ReadView::ListLinks(std::string_view block_id, int64_t limit) {
  return rows_.links().List(block_id, limit);
}

// ---- Undo -----------------------------------------------------------------------------------------------------------

absl::StatusOr<std::vector<UndoHead>> ReadView::ListUndoHeads(std::string_view user_id) {
  return rows_.undo().ListHeads(user_id, kUndoStackSize);
}

absl::StatusOr<std::vector<UndoHead>> ReadView::ListUndoStack(std::string_view user_id) {
  ASSIGN_OR_RETURN(std::vector<UndoHead> heads, ListUndoHeads(user_id));
  absl::flat_hash_set<std::string> changes;
  for (const UndoHead& head : heads) {
    if (!head.is_undo()) changes.insert(head.id);
  }
  std::erase_if(heads, [&](const UndoHead& head) {
    return !std::ranges::all_of(head.undoes, [&](const std::string& id) { return changes.contains(id); });
  });
  return heads;
}

absl::StatusOr<std::optional<UndoEntry>> ReadView::LoadUndoEntry(std::string_view user_id, std::string_view id,
                                                                 UndoContent content) {
  ASSIGN_OR_RETURN(const std::vector<UndoHead> stack, ListUndoStack(user_id));
  const auto head = std::ranges::find(stack, id, &UndoHead::id);
  if (head == stack.end()) return std::nullopt;
  return LoadNumber(user_id, head->number, content);
}

absl::StatusOr<std::optional<UndoEntry>> ReadView::LoadTopUndoEntry(std::string_view user_id, UndoContent content) {
  ASSIGN_OR_RETURN(const std::vector<UndoHead> stack, ListUndoStack(user_id));
  const auto top = std::ranges::find_if(stack, [](const UndoHead& head) { return !head.undone && !head.is_undo(); });
  if (top == stack.end()) return std::nullopt;
  return LoadNumber(user_id, top->number, content);
}

absl::StatusOr<std::optional<UndoEntry>> ReadView::LoadNumber(std::string_view user_id, int64_t number,
                                                              UndoContent content) {
  ASSIGN_OR_RETURN(std::vector<UndoEntry> entries, rows_.undo().Load(user_id, {number}, content));
  if (entries.empty()) return std::nullopt;
  return std::move(entries.front());
}

absl::StatusOr<std::optional<UndoEntry>> ReadView::FindUndoEntry(std::string_view user_id, std::string_view id) {
  return LoadUndoEntry(user_id, id, UndoContent::kWhole);
}

absl::StatusOr<std::optional<UndoEntry>> ReadView::TopUndoEntry(std::string_view user_id) {
  return LoadTopUndoEntry(user_id, UndoContent::kWhole);
}

absl::StatusOr<std::optional<UndoEntry>> ReadView::OutlineUndoEntry(std::string_view user_id, std::string_view id) {
  return LoadUndoEntry(user_id, id, UndoContent::kOutline);
}

absl::StatusOr<std::optional<UndoEntry>> ReadView::OutlineTopUndoEntry(std::string_view user_id) {
  return LoadTopUndoEntry(user_id, UndoContent::kOutline);
}

absl::StatusOr<std::vector<UndoEntry>> ReadView::ListUndoEntries(std::string_view user_id) {
  ASSIGN_OR_RETURN(const std::vector<UndoHead> stack, ListUndoStack(user_id));
  std::vector<int64_t> numbers;
  for (const UndoHead& head : stack) numbers.push_back(head.number);
  return rows_.undo().Load(user_id, numbers, UndoContent::kNone);
}

absl::StatusOr<bool> ReadView::HasLeftUndoStack(std::string_view user_id, const UndoGroup& group) {
  ASSIGN_OR_RETURN(const std::vector<UndoHead> heads, ListUndoHeads(user_id));
  if (std::ranges::count_if(heads, [](const UndoHead& head) { return !head.is_undo(); }) < kUndoStackSize) return false;
  return rows_.undo().HasBelow(user_id, group, heads.back().number);
}

// ---- Records --------------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<Confirmation>> ReadView::FindConfirmation(std::string_view id) {
  return rows_.confirmations().Find(id);
}

absl::StatusOr<std::vector<Confirmation>> ReadView::ListPendingConfirmations(absl::Time now, int64_t limit,
                                                                             std::string_view after_id) {
  return rows_.confirmations().ListPending(now, limit, after_id);
}

absl::StatusOr<PendingConfirmations> ReadView::CountPendingConfirmations(absl::Time now, std::string_view user_id) {
  return rows_.confirmations().CountPending(now, user_id);
}

absl::StatusOr<std::optional<IdempotentOutcome>> ReadView::FindOutcome(std::string_view user_id, std::string_view key,
                                                                       absl::Time now) {
  return rows_.outcomes().Find(user_id, key, now - kOutcomeLifetime);
}

absl::StatusOr<std::optional<KeptPart>> ReadView::ReadKeptResult(std::string_view user_id, std::string_view id,
                                                                 int64_t offset, int64_t length, absl::Time now) {
  return rows_.kept_results().ReadPart(user_id, id, offset, length, now - kKeptResultLifetime);
}

absl::StatusOr<std::optional<std::string>> ReadView::FindDocument(std::string_view kind, std::string_view name) {
  ASSIGN_OR_RETURN(std::vector<Document> found, rows_.documents().Find({DocumentKey{kind, name}}));
  if (found.empty()) return std::nullopt;
  return std::move(found.front().json);
}

// ---- The journal ----------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<Claim>> ReadView::FindClaim(std::string_view id) { return rows_.journal().Find(id); }

absl::StatusOr<std::optional<Claim>> ReadView::FindClaimByKey(std::string_view user_id, std::string_view key) {
  return rows_.journal().FindByKey(user_id, key);
}

absl::StatusOr<std::vector<Claim>> ReadView::ListClaimParts(std::string_view id) {
  return rows_.journal().ListParts(id);
}

absl::StatusOr<std::vector<SettledStep>> ReadView::ListSettledSteps(std::string_view claim_id) {
  return rows_.journal().ListSteps(claim_id);
}

// ---- Conversations and files ----------------------------------------------------------------------------------------

absl::StatusOr<std::optional<Conversation>> ReadView::FindConversation(std::string_view user_id, std::string_view id) {
  return rows_.conversations().Find(user_id, id);
}

absl::StatusOr<std::vector<Conversation>> ReadView::ListConversations(std::string_view user_id, int64_t limit,
                                                                      const ConversationPlace& after) {
  return rows_.conversations().List(user_id, limit, after);
}

absl::StatusOr<std::vector<StoredMessage>> ReadView::ListMessages(std::string_view user_id,
                                                                  std::string_view conversation_id,
                                                                  const MessageQuery& query) {
  return rows_.conversations().ListMessages(user_id, conversation_id, query);
}

absl::StatusOr<std::vector<StoredArtifact>> ReadView::ListArtifacts(std::string_view user_id,
                                                                    std::string_view conversation_id, int64_t first,
                                                                    int64_t last) {
  return rows_.conversations().ListArtifacts(user_id, conversation_id, first, last);
}

absl::StatusOr<std::optional<FileHead>> ReadView::FindFile(std::string_view name) { return rows_.files().Find(name); }

absl::StatusOr<std::string> ReadView::ReadFilePage(std::string_view name, int64_t number) {
  ASSIGN_OR_RETURN(auto pages, rows_.files().ReadPages(name, {number}));
  if (pages.empty()) return MarkFault(absl::DataLossError(absl::StrCat("a file has no page ", number)));
  return std::move(pages.begin()->second);
}

}  // namespace toolgate::storage
