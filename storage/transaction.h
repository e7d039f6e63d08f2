// Changes to one workspace, and the rules for them.
//
// The rules that every backend shares are written once, here: parents exist and have no cycles, versions grow, changes
// are recorded for undo, a confirmation is used once, an idempotency key is held by one call. A backend provides rows
// (rows.h) and isolation.
#ifndef TOOLGATE_STORAGE_TRANSACTION_H_
#define TOOLGATE_STORAGE_TRANSACTION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/fibers/cancellation.h"
#include "common/ids.h"
#include "observability/tracing/call_span.h"
#include "storage/audit_chain.h"
#include "storage/change_log.h"
#include "storage/changes.h"
#include "storage/declared_fields.h"
#include "storage/image.h"
#include "storage/read_view.h"
#include "storage/rows.h"

namespace toolgate::v1 {
class AuditEntry;
}  // namespace toolgate::v1

namespace toolgate::storage {

// Author, time, change id and trace of a write.
struct WriteContext {
  std::string workspace_id;
  std::string user_id;
  std::string change_id;  // Becomes Block::change_id of everything written: the call's audit entry id.
  absl::Time now;         // Truncated to whole microseconds by the store.
  // The call's place in its trace.
  observability::tracing::CallSpan call_span = {};
  std::string tool_id = {};  // Of the call; empty for writes of the service's own.
};

// Result of a deletion.
struct Deletion {
  int64_t blocks = 0;
  std::vector<Link> links;
};

// Maximum nesting of blocks; those at the root are at level 1. Checked when a block is created or moved further down,
// and by an undo. Nothing relies on it: deeper blocks from an earlier release can be read, moved up and deleted.
inline constexpr int64_t kMaxBlockDepth = 100;

// A new block. If the id is empty, the store creates one.
struct NewBlock {
  std::string id = {};
  std::string type = {};
  std::string parent_id = {};
  std::string data = {};                 // Compact JSON object.
  std::optional<int64_t> position = {};  // 0-indexed place among siblings; beyond the end or unset: last.
};

// All or nothing on one workspace, isolated from every other transaction (serialisable). Reads see its own writes. Used
// by one thread at a time, only inside the function that receives it.
//
// Every change is recorded, so that it can be undone. A change that would make the record too long for an undo entry
// (undo_bound.h) returns QUOTA_EXCEEDED, and the transaction must not be committed.
//
// Blocks are read and written in sets, and those that were read are kept: a change of a thousand blocks takes a few
// round trips to the backend.
class Transaction final : public ReadView {
 public:
  // Shared by all transactions of a store. Borrowed.
  struct Rules {
    const DeclaredFields& fields;
    IdSource& ids;
    int64_t max_undo_bytes;  // Limit of one undo entry: kMaxUndoBytes except in tests.
  };
  // `cancellation`: of the call, once which is over nothing can be read or changed. Borrowed, like the rows.
  Transaction(WriteContext context, Rows& rows, const fibers::Cancellation& cancellation, const Rules& rules)
      : ReadView(rows, rules.max_undo_bytes),
        context_(std::move(context)),
        cancellation_(cancellation),
        rules_(rules) {}

  absl::StatusOr<std::optional<Block>> FindBlock(std::string_view id) override;
  const WriteContext& context() const { return context_; }

  // CONFLICT if the id is taken, NOT_FOUND if the parent does not exist, INVALID_PARAMS below kMaxBlockDepth.
  absl::StatusOr<Block> CreateBlock(const NewBlock& block);
  // Replaces the data. NOT_FOUND; CONFLICT, naming the present version, if `expected_version` is given and differs.
  // Writing the present data again changes nothing, not even the version.
  absl::StatusOr<Block> UpdateBlock(std::string_view id, std::string_view data,
                                    std::optional<int64_t> expected_version = std::nullopt);
  // Moves below another parent ("" is the root) and to a place among the siblings there, perhaps replacing the data in
  // the same step. NOT_FOUND for block or parent; CONFLICT if the new parent is the block itself or lies below it;
  // INVALID_PARAMS if a block would move further down and below kMaxBlockDepth.
  absl::StatusOr<Block> MoveBlock(std::string_view id, std::string_view parent_id, std::optional<int64_t> position,
                                  std::optional<std::string_view> data = std::nullopt);
  // Also deletes the links from and to the deleted blocks. QUOTA_EXCEEDED, before anything is loaded or changed, if
  // that is more than undo keeps of one change.
  absl::StatusOr<Deletion> DeleteBlock(std::string_view id, Children children);

  // NOT_FOUND if there is no block at either end; CONFLICT if the link exists already.
  absl::StatusOr<Link> CreateLink(std::string_view from_id, std::string_view to_id, std::string_view relation);
  // NOT_FOUND if there is no such link.
  absl::Status DeleteLink(std::string_view from_id, std::string_view to_id, std::string_view relation);

  // OK if undo can keep the result of DeleteBlock.
  absl::Status CheckDeletion(const Block& block, Children children);

  // PutDocument and DeleteDocument (an unset `json`) for documents whose changes a user can take back.
  absl::Status ChangeDocument(std::string_view kind, std::string_view name, std::optional<std::string> json);

  // Records an effect that only its executor understands and can take back.
  absl::Status RecordEffect(Effect effect);

  // For a transaction that takes back an earlier one, whose entry had to fit; since earlier releases may have kept
  // longer entries, the size of all further records is not limited.
  void LiftUndoBound() { undo_bound_lifted_ = true; }

  // For a transaction that will be rolled back: all others wait for it all the same, so a change of more than
  // `max_changed` blocks, links and documents returns QUOTA_EXCEEDED, before it is made where that can be told.
  void LimitChanges(int64_t max_changed) { max_changed_ = max_changed; }

  // Restores every block, link and document to its `before`. CONFLICT, naming the obstacle, if one is not as the
  // `after` left it, if a block's parent or a link's end is gone, or if a block would move below kMaxBlockDepth. All or
  // nothing. Effects are left to their executors, and the rules between blocks of certain types to code that knows
  // types (executors/blocks/integrity.h).
  // By value: what the caller gives away, and does not share, needs no second copy of the states.
  absl::Status Revert(Changes changes);

  // Makes exactly the changes that a dry run with this context made, which ended in the same rows. ABORTED without a
  // ToolError, with nothing changed, if something that it changed or put something next to is not as it was then. All
  // or nothing. Effects and the rules between blocks of certain types are left to others, as in Revert.
  absl::Status Apply(const Changes& changes);
  // Whether the ranks of other blocks were rewritten. `changes` does not show that, so they cannot be applied.
  bool rewrote_ranks() const { return rewrote_ranks_; }

  // Changes made by this transaction.
  Changes changes() const;

  // Runs `body`; if it fails, everything it did is taken back and its status returned, and the transaction continues.
  // Otherwise `changed`, if given, receives its changes.
  absl::Status Nested(absl::FunctionRef<absl::Status()> body, Changes* changed = nullptr);

  // Pushes onto the user's stack, with its changes. The stack holds the newest 50 entries that are not undos, and of
  // each of these the newest undo, if there is one; all others are dropped. So if an undo is on the stack, so are the
  // entries that it took back: one that took back several leaves with the first of them.
  absl::Status PushUndoEntry(const UndoEntry& entry);
  absl::Status SetUndone(std::string_view user_id, std::string_view entry_id, bool undone);

  absl::Status PutConfirmation(const Confirmation& confirmation);
  // Moves from `from` to `to`; false if it is no longer in `from`. Because this is atomic, each confirmation is used at
  // most once in the whole fleet.
  absl::StatusOr<bool> TransitionConfirmation(std::string_view id, Confirmation::State from, Confirmation::State to,
                                              std::string_view decided_by);

  // Must come first in a transaction with a key: returns the stored outcome, or nothing, in which case this transaction
  // now holds the key: another one with the same key waits for its end. CONFLICT, retryable and refused as ABORTED,
  // while a claim in the journal holds the key.
  absl::StatusOr<std::optional<IdempotentOutcome>> ClaimIdempotencyKey(std::string_view user_id, std::string_view key);
  // Stores the outcome under a key that was claimed.
  absl::Status PutOutcome(std::string_view user_id, std::string_view key, const IdempotentOutcome& outcome);

  // Keeps a result of at most kMaxKeptBytes, and drops as many of the user's older ones as necessary.
  absl::Status KeepResult(const KeptResult& result);

  // Creates the conversation, or replaces its title and pause. updated_at becomes this transaction's time, and so does
  // the created_at of a new one; the number of messages is not read.
  absl::Status PutConversation(const Conversation& conversation);
  // Appends to one of the user's conversations, whose updated_at becomes this transaction's time. CONFLICT unless
  // `number` is the conversation's message_count and its id is new: another caller went on with the conversation.
  // NOT_FOUND if there is no such conversation.
  absl::Status AppendMessage(std::string_view user_id, std::string_view conversation_id, const StoredMessage& message);
  // NOT_FOUND if there is no such conversation; CONFLICT if the message has an artifact of that number.
  absl::Status PutArtifact(std::string_view user_id, std::string_view conversation_id, const StoredArtifact& artifact);
  // With its messages and artifacts. False if there is no such conversation.
  absl::StatusOr<bool> DeleteConversation(std::string_view user_id, std::string_view id);

  absl::Status PutDocument(std::string_view kind, std::string_view name, std::string_view json);
  absl::Status DeleteDocument(std::string_view kind, std::string_view name);

  // Sets the file's length and replaces the given pages, which are numbered below it; pages beyond it are dropped. A
  // new file must be given all its pages; a file without pages does not exist. Its head gets this transaction's change
  // id.
  absl::Status WriteFile(std::string_view name, int64_t page_count, const std::map<int64_t, std::string>& pages);

  // Puts a claim into the journal. A claim with an idempotency key needs ClaimIdempotencyKey before it. ABORTED when it
  // is part of a claim that its owner does not hold in that attempt.
  absl::Status PutClaim(const Claim& claim, int64_t attempt_of_whole = 0);
  // Gives a claim that is held a new checkpoint and a new end. False if it is gone, or held by another process or
  // attempt; so are the next three.
  absl::StatusOr<bool> RenewClaim(std::string_view id, const ClaimHold& hold, absl::Time good_until,
                                  std::string_view checkpoint);
  // Hands a claim to `new_owner`, whose attempt has the next number.
  absl::StatusOr<bool> TakeOverClaim(std::string_view id, const ClaimHold& hold, std::string_view new_owner,
                                     absl::Time good_until);
  // Takes a claim off the journal, with its settled steps. FAILED_PRECONDITION while there is a claim that is part of
  // it.
  absl::StatusOr<bool> DropClaim(std::string_view id, const ClaimHold& hold);
  // Notes a step of a claimed call, which `hold` is about.
  absl::StatusOr<bool> PutSettledStep(const SettledStep& step, const ClaimHold& hold);
  // Forgets a step that was taken back.
  absl::Status DropSettledStep(std::string_view claim_id, int64_t number);

  // Appends to the workspace's chain when the transaction commits.
  absl::Status AppendAudit(const v1::AuditEntry& entry);

  // For stores: sends all changes to the backend, the audit entries last. Comes last.
  absl::Status Finish();
  // For stores: what to tell once it is committed (signals.h).
  const std::vector<std::string>& signals() const { return signals_; }

 protected:
  absl::StatusOr<std::vector<UndoHead>> ListUndoHeads(std::string_view user_id) override;

 private:
  // Length of each log at some moment.
  struct Mark {
    size_t blocks;
    size_t links;
    size_t documents;
    size_t effects;
    size_t audit;
    size_t signals;
  };

  // Reads those of these blocks that are not known yet,
  absl::Status Know(Ids ids);
  void Remember(std::vector<Block> blocks);
  // or their places and those of all blocks above them.
  absl::Status KnowPlaces(Ids ids);
  // Nothing if there is no such block.
  absl::StatusOr<std::optional<BlockPlace>> FindPlace(const std::string& id);
  absl::StatusOr<BlockPlace> GetPlace(const std::string& id);
  // Nothing is known any more: some of it was rolled back, or it became too much.
  void Forget();
  // Writes the rows of all steps, and of their fields in the index.
  absl::Status WriteRows(absl::Span<const BlockDelta> steps);
  void NoteRow(const BlockDelta& step);
  // Writes and records them.
  absl::Status MakeSteps(absl::Span<const BlockDelta> steps);
  absl::Status Record(Image<Block> before, Image<Block> after);
  int64_t RecordedBytes() const;
  absl::Status CheckUndoBound() const;
  int64_t RecordedThings() const;
  // Whether more than `limit` blocks would go, or move up, with this one; looks at no more than that.
  absl::StatusOr<bool> IsLargerThan(const Block& block, Children children, int64_t limit);
  Mark MarkLogs() const;
  void ForgetSince(const Mark& mark);
  // Within Nested.
  Changes ChangesSince(const Mark& mark) const;
  absl::StatusOr<Block> Create(const NewBlock& block);
  absl::StatusOr<Block> Write(const Block& present, Block changed);
  // The state that a block gets by a change.
  Block Changed(const Block& present, Block changed) const;
  // From the last block to the first.
  absl::StatusOr<Deletion> Remove(std::vector<Block> blocks);
  absl::Status RemovePiece(absl::Span<Block> blocks, Deletion& deletion);
  absl::Status MoveChildrenUp(const Block& block);
  absl::StatusOr<std::string> ChooseRank(std::string_view parent_id, std::optional<int64_t> position,
                                         std::string_view excluding, std::string_view present_rank);
  // For `count` blocks between a sibling and the next one, in ascending order.
  absl::StatusOr<std::vector<std::string>> ChooseRanksAfter(const Block& sibling, size_t count);
  absl::StatusOr<Neighbours> FindNeighbours(std::string_view parent_id, std::optional<int64_t> position,
                                            std::string_view excluding);
  // Siblings whose ranks are rewritten, and the unchanged ranks of the siblings around them; empty: the end.
  struct Stretch {
    std::string before;
    std::string after;
    std::vector<Block> blocks;
  };
  absl::StatusOr<Stretch> FindStretch(std::string_view parent_id, int64_t position);
  // Gives the siblings around `position` new, short ranks in their present order.
  absl::Status RewriteRanks(std::string_view parent_id, int64_t position);
  // Number of times that ranks below `parent_id` were rewritten.
  absl::StatusOr<int64_t> RankGeneration(std::string_view parent_id);
  // Reads those of all these parents.
  absl::Status KnowRankGenerations(absl::Span<const std::string_view> parent_ids);
  // The present rank for the place of `remembered`.
  absl::StatusOr<std::string> RestoredRank(const Block& remembered);
  // Adds to the block's rank the generation in which it is valid.
  absl::Status RememberPlace(Block& block);
  // Records a block that moves or is deleted.
  absl::Status RecordPlaced(Block before, Image<Block> after);
  // The block's level, 0 for the root itself. NOT_FOUND.
  absl::StatusOr<int64_t> LevelOf(std::string_view id);
  absl::Status CheckMoveTarget(std::string_view id, std::string_view parent_id);
  absl::Status CheckMoveDepth(const Block& block, std::string_view parent_id);
  absl::Status AddLinks(absl::Span<const Link> links);
  absl::Status RemoveLinks(absl::Span<const Link> links);
  // Whether blocks get the very state that is restored, or one of a later version.
  enum class Restore { kLater, kExact };
  absl::Status RevertAs(Changes changes, Restore restore);
  absl::Status EraseNewLinks(absl::Span<const LinkDelta> deltas);
  absl::Status RestoreLinks(absl::Span<const LinkDelta> deltas);
  absl::Status RevertBlocks(absl::Span<BlockDelta> deltas, Restore restore);
  // Adds the step that leads back. Leaves the restored state in `before`.
  absl::Status PlanRevert(BlockDelta& delta, Restore restore, std::vector<BlockDelta>& steps);
  // No block that was created is linked by now, or has children.
  absl::Status CheckNotLinked(absl::Span<const BlockDelta> created);
  absl::Status CheckChildless(absl::Span<const BlockDelta> deltas);
  // Levels of blocks whose way up to the root is sound, by id.
  using Levels = absl::flat_hash_map<std::string, int64_t>;
  absl::Status CheckWaysUp(absl::Span<const BlockDelta> deltas, Levels& levels);
  absl::Status CheckWayUp(const BlockDelta& delta, Levels& levels);
  absl::Status RevertOne(const DocumentDelta& delta);
  absl::StatusOr<Conversation> GetConversation(std::string_view user_id, std::string_view id);
  absl::Status TrimUndoStack(std::string_view user_id);
  bool HasTaken(std::string_view user_id, std::string_view key) const;
  // The claim, if it is held so.
  absl::StatusOr<std::optional<Claim>> FindHeld(std::string_view id, const ClaimHold& hold);

  const WriteContext context_;
  const fibers::Cancellation& cancellation_;
  const Rules rules_;
  bool undo_bound_lifted_ = false;
  std::optional<int64_t> max_changed_;
  ChangeLog<Block> block_log_;
  ChangeLog<Link> link_log_;
  ChangeLog<Document> document_log_;
  std::vector<Effect> effects_;
  int64_t effect_bytes_ = 0;
  int nesting_ = 0;
  bool rewrote_ranks_ = false;
  absl::flat_hash_map<std::string, int64_t> rank_generations_;  // Those known so far, by parent.
  absl::flat_hash_map<std::string, std::string> last_ranks_;    // The same for the last rank; empty: no children.
  absl::flat_hash_map<std::string, Image<Block>> known_;        // Present states; unset: there is no such block.
  int64_t known_bytes_ = 0;                                     // Size of their data, or more.
  absl::flat_hash_map<std::string, std::optional<BlockPlace>> places_;       // The same for places alone.
  std::optional<std::pair<std::string, std::vector<UndoHead>>> undo_heads_;  // Of the user asked for last.
  absl::flat_hash_set<std::pair<std::string, std::string>> taken_keys_;
  std::vector<PackedAuditEntry> audit_;
  std::vector<std::string> signals_;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_TRANSACTION_H_
