// Reads of one workspace.
//
// A view is bound to one workspace when it is made, so no call can reach another one.
//
// Errors: a caller's mistake is a ToolError (NOT_FOUND, INVALID_PARAMS, …); an unreachable backend is UNAVAILABLE
// without a ToolError; anything else is INTERNAL or DATA_LOSS without one. Once the call that a view serves is over
// (its deadline has passed, or its client has left), reads return the call's own error (TIMEOUT or CANCELLED, as
// ToolError), also in the middle of a long query.
#ifndef TOOLGATE_STORAGE_READ_VIEW_H_
#define TOOLGATE_STORAGE_READ_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/block.h"
#include "storage/conversation.h"
#include "storage/journal.h"
#include "storage/link.h"
#include "storage/query.h"
#include "storage/records.h"
#include "storage/rows.h"
#include "storage/undo_bound.h"

namespace toolgate::storage {

// Treatment of a deleted block's children.
enum class Children { kDelete, kMoveToParent };

// Limit up to which MeasureDeletion counts.
enum class Measure { kWhole, kUntilTooMuch };

// A consistent snapshot of one workspace, over a backend's rows. Used by one thread at a time, only inside the function
// that receives it.
class ReadView {
 public:
  // Borrows the rows. `max_undo_bytes`: limit of an undo entry.
  ReadView(Rows& rows, int64_t max_undo_bytes) : rows_(rows), max_undo_bytes_(max_undo_bytes) {}
  ReadView(const ReadView&) = delete;
  ReadView& operator=(const ReadView&) = delete;
  virtual ~ReadView() = default;

  // Nothing if there is no such block.
  virtual absl::StatusOr<std::optional<Block>> FindBlock(std::string_view id);
  // NOT_FOUND, naming the id, if there is no such block.
  absl::StatusOr<Block> GetBlock(std::string_view id);

  // Behind `after`, in sibling order; `limit` at most.
  absl::StatusOr<std::vector<Block>> ListChildren(std::string_view parent_id, int64_t limit,
                                                  const SiblingPlace& after = {});
  absl::StatusOr<BlockPage> FindBlocks(const BlockQuery& query);
  // The size of an undo entry for the block's deletion, computed without loading the blocks below it. `max_ids`:
  // maximum number of those below whose ids are returned.
  absl::StatusOr<DeletionSize> MeasureDeletion(const Block& block, Children children, Measure measure, size_t max_ids);
  // Sees everything committed before the view was created; the view may move on to a newer snapshot for this.
  // INVALID_PARAMS, with a violation at "", if the text has more than kMaxSearchWords words.
  absl::StatusOr<SearchPage> Search(const SearchQuery& query);

  // Nothing if there is no such link.
  absl::StatusOr<std::optional<Link>> FindLink(std::string_view from_id, std::string_view to_id,
                                               std::string_view relation);
  // From or to the block, by the id at the other end; `limit` at most.
  absl::StatusOr<std::vector<Link>> ListLinks(std::string_view block_id, int64_t limit);

  // Nothing if there is no such entry on this user's stack.
  absl::StatusOr<std::optional<UndoEntry>> FindUndoEntry(std::string_view user_id, std::string_view id);
  // The newest entry that is neither undone nor itself an undo, reversible or not; nothing if there is none.
  absl::StatusOr<std::optional<UndoEntry>> TopUndoEntry(std::string_view user_id);
  // The same two with an outline of the changes: effects, and the number of all others, which may be too many to hold
  // just to look at them.
  absl::StatusOr<std::optional<UndoEntry>> OutlineUndoEntry(std::string_view user_id, std::string_view id);
  absl::StatusOr<std::optional<UndoEntry>> OutlineTopUndoEntry(std::string_view user_id);
  // Newest first, without changes.
  absl::StatusOr<std::vector<UndoEntry>> ListUndoEntries(std::string_view user_id);
  // Whether a change of the group left the user's stack without having been undone; kRememberedChanges are known.
  absl::StatusOr<bool> HasLeftUndoStack(std::string_view user_id, const UndoGroup& group);

  absl::StatusOr<std::optional<Confirmation>> FindConfirmation(std::string_view id);
  // Pending and not expired at `now`, oldest first, those after `after_id`.
  absl::StatusOr<std::vector<Confirmation>> ListPendingConfirmations(absl::Time now, int64_t limit,
                                                                     std::string_view after_id);
  // Their number, without reading the questions.
  absl::StatusOr<PendingConfirmations> CountPendingConfirmations(absl::Time now, std::string_view user_id);

  // A stored outcome younger than 24 hours at `now`.
  absl::StatusOr<std::optional<IdempotentOutcome>> FindOutcome(std::string_view user_id, std::string_view key,
                                                               absl::Time now);

  // Part of a result that this user got only partly: at most `length` bytes, from `offset` on (none beyond its end).
  // Nothing if there is no such result, or none younger than kKeptResultLifetime at `now`.
  absl::StatusOr<std::optional<KeptPart>> ReadKeptResult(std::string_view user_id, std::string_view id, int64_t offset,
                                                         int64_t length, absl::Time now);

  // A small JSON document of a kind ("instruction", "provenance") under a name; nothing if there is none.
  absl::StatusOr<std::optional<std::string>> FindDocument(std::string_view kind, std::string_view name);

  // Nothing if there is no such claim in the journal.
  absl::StatusOr<std::optional<Claim>> FindClaim(std::string_view id);
  // The claim that holds the user's idempotency key; nothing if none does.
  absl::StatusOr<std::optional<Claim>> FindClaimByKey(std::string_view user_id, std::string_view key);
  // The claims that are part of this one.
  absl::StatusOr<std::vector<Claim>> ListClaimParts(std::string_view id);
  // The steps of a claimed call that have settled and were not taken back, in the order of their numbers.
  absl::StatusOr<std::vector<SettledStep>> ListSettledSteps(std::string_view claim_id);

  // Nothing if this user has no such conversation.
  absl::StatusOr<std::optional<Conversation>> FindConversation(std::string_view user_id, std::string_view id);
  // The user's conversations behind `after`, the one that changed last first; `limit` at most.
  absl::StatusOr<std::vector<Conversation>> ListConversations(std::string_view user_id, int64_t limit,
                                                              const ConversationPlace& after);
  // Messages of one of the user's conversations; none if there is no such conversation.
  absl::StatusOr<std::vector<StoredMessage>> ListMessages(std::string_view user_id, std::string_view conversation_id,
                                                          const MessageQuery& query);
  // Artifacts of the messages from `first` to `last`, in their order.
  absl::StatusOr<std::vector<StoredArtifact>> ListArtifacts(std::string_view user_id, std::string_view conversation_id,
                                                            int64_t first, int64_t last);

  // A file of pages; nothing if there is none.
  absl::StatusOr<std::optional<FileHead>> FindFile(std::string_view name);
  // A page below the file's page_count, counted from 0. DATA_LOSS if it is missing.
  absl::StatusOr<std::string> ReadFilePage(std::string_view name, int64_t number);

 protected:
  Rows& rows() { return rows_; }
  int64_t max_undo_bytes() const { return max_undo_bytes_; }

  // The user's entries, newest first, down to the newest kUndoStackSize ones that are not undos.
  virtual absl::StatusOr<std::vector<UndoHead>> ListUndoHeads(std::string_view user_id);

 private:
  // The user's stack: these entries, but of the undos only those of one that is on the stack as well.
  absl::StatusOr<std::vector<UndoHead>> ListUndoStack(std::string_view user_id);
  absl::StatusOr<std::optional<UndoEntry>> LoadUndoEntry(std::string_view user_id, std::string_view id,
                                                         UndoContent content);
  absl::StatusOr<std::optional<UndoEntry>> LoadTopUndoEntry(std::string_view user_id, UndoContent content);
  absl::StatusOr<std::optional<UndoEntry>> LoadNumber(std::string_view user_id, int64_t number, UndoContent content);

  Rows& rows_;
  const int64_t max_undo_bytes_;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_READ_VIEW_H_
