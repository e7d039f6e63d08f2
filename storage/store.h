// Storage for all data of toolgate: blocks, undo stacks, confirmations, idempotency records, documents and the audit
// log.
//
// Nothing here knows SQL. A backend implements Store, and its own ReadView and Transaction; the rules that every
// backend shares (parents exist and have no cycles, versions grow, changes are recorded for undo) are written once, in
// Transaction. One suite, tests/contract/storage, runs against every backend.
//
// Every view and transaction is bound to one workspace when it is made, so no call can reach another one.
//
// Errors: a caller's mistake is a ToolError (NOT_FOUND, CONFLICT, …); an unreachable backend is UNAVAILABLE without a
// ToolError; anything else is INTERNAL or DATA_LOSS without one.
//
// All work for a call ends with it: once its deadline has passed or its client has left, its views and transactions
// return the call's own error (TIMEOUT or CANCELLED, as ToolError), also in the middle of a long query. A change that
// has begun, and a commit, run to their end.
#ifndef TOOLGATE_STORAGE_STORE_H_
#define TOOLGATE_STORAGE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "common/json.h"
#include "observability/tracing/call_span.h"
#include "storage/block.h"
#include "storage/change_log.h"
#include "storage/changes.h"
#include "storage/conversation.h"
#include "storage/declared_fields.h"
#include "storage/index_entries.h"
#include "storage/journal.h"
#include "storage/query.h"
#include "storage/read_patience.h"
#include "storage/records.h"
#include "storage/undo_bound.h"

namespace toolgate::v1 {
class AuditEntry;
}  // namespace toolgate::v1

namespace toolgate::storage {

struct PackedAuditEntry;  // audit_chain.h

// Treatment of a deleted block's children.
enum class Children { kDelete, kMoveToParent };

// Limit up to which MeasureDeletion counts.
enum class Measure { kWhole, kUntilTooMuch };

// A consistent snapshot of one workspace. Used by one thread at a time, only inside the function that receives it.
class ReadView {
 public:
  virtual ~ReadView() = default;

  // Nothing if there is no such block.
  virtual absl::StatusOr<std::optional<Block>> FindBlock(std::string_view id) = 0;
  // NOT_FOUND, naming the id, if there is no such block.
  absl::StatusOr<Block> GetBlock(std::string_view id);

  // In sibling order; `limit` at most.
  virtual absl::StatusOr<std::vector<Block>> ListChildren(std::string_view parent_id, int64_t limit) = 0;
  virtual absl::StatusOr<BlockPage> FindBlocks(const BlockQuery& query) = 0;
  // The size of an undo entry for the block's deletion, computed without loading the blocks below it. `max_ids`:
  // maximum number of those below whose ids are returned.
  virtual absl::StatusOr<DeletionSize> MeasureDeletion(const Block& block, Children children, Measure measure,
                                                       size_t max_ids) = 0;
  // Sees everything committed before the view was created; the view may move on to a newer snapshot for this.
  // INVALID_PARAMS, with a violation at "", if the text has more than kMaxSearchWords words.
  virtual absl::StatusOr<SearchPage> Search(const SearchQuery& query) = 0;

  // Nothing if there is no such link.
  virtual absl::StatusOr<std::optional<Link>> FindLink(std::string_view from_id, std::string_view to_id,
                                                       std::string_view relation) = 0;
  // From or to the block, by the id at the other end; `limit` at most.
  virtual absl::StatusOr<std::vector<Link>> ListLinks(std::string_view block_id, int64_t limit) = 0;

  // Nothing if there is no such entry on this user's stack.
  virtual absl::StatusOr<std::optional<UndoEntry>> FindUndoEntry(std::string_view user_id, std::string_view id) = 0;
  // The newest entry that is neither undone nor itself an undo, reversible or not; nothing if there is none.
  virtual absl::StatusOr<std::optional<UndoEntry>> TopUndoEntry(std::string_view user_id) = 0;
  // The same two with an outline of the changes: effects, and the number of all others, which may be too many to hold
  // just to look at them.
  virtual absl::StatusOr<std::optional<UndoEntry>> OutlineUndoEntry(std::string_view user_id, std::string_view id) = 0;
  virtual absl::StatusOr<std::optional<UndoEntry>> OutlineTopUndoEntry(std::string_view user_id) = 0;
  // Newest first, without changes.
  virtual absl::StatusOr<std::vector<UndoEntry>> ListUndoEntries(std::string_view user_id) = 0;
  // Whether a change of the group left the user's stack without having been undone; kRememberedChanges are known.
  virtual absl::StatusOr<bool> HasLeftUndoStack(std::string_view user_id, const UndoGroup& group) = 0;

  virtual absl::StatusOr<std::optional<Confirmation>> FindConfirmation(std::string_view id) = 0;
  // Pending and not expired at `now`, oldest first, those after `after_id`.
  virtual absl::StatusOr<std::vector<Confirmation>> ListPendingConfirmations(absl::Time now, int64_t limit,
                                                                             std::string_view after_id) = 0;
  // Their number, without reading the questions.
  virtual absl::StatusOr<PendingConfirmations> CountPendingConfirmations(absl::Time now, std::string_view user_id) = 0;

  // A stored outcome younger than 24 hours at `now`.
  virtual absl::StatusOr<std::optional<IdempotentOutcome>> FindOutcome(std::string_view user_id, std::string_view key,
                                                                       absl::Time now) = 0;

  // Part of a result that this user got only partly: at most `length` bytes, from `offset` on (none beyond its end).
  // Nothing if there is no such result, or none younger than kKeptResultLifetime at `now`.
  virtual absl::StatusOr<std::optional<KeptPart>> ReadKeptResult(std::string_view user_id, std::string_view id,
                                                                 int64_t offset, int64_t length, absl::Time now) = 0;

  // A small JSON document of a kind ("instruction", "provenance") under a name; nothing if there is none.
  virtual absl::StatusOr<std::optional<std::string>> FindDocument(std::string_view kind, std::string_view name) = 0;

  // Nothing if there is no such claim in the journal.
  virtual absl::StatusOr<std::optional<Claim>> FindClaim(std::string_view id) = 0;
  // The claim that holds the user's idempotency key; nothing if none does.
  virtual absl::StatusOr<std::optional<Claim>> FindClaimByKey(std::string_view user_id, std::string_view key) = 0;
  // The steps of a claimed call that have settled and were not taken back, in the order of their numbers.
  virtual absl::StatusOr<std::vector<SettledStep>> ListSettledSteps(std::string_view claim_id) = 0;

  // Nothing if this user has no such conversation.
  virtual absl::StatusOr<std::optional<Conversation>> FindConversation(std::string_view user_id,
                                                                       std::string_view id) = 0;
  // The user's conversations behind `after`, the one that changed last first; `limit` at most.
  virtual absl::StatusOr<std::vector<Conversation>> ListConversations(std::string_view user_id, int64_t limit,
                                                                      const ConversationPlace& after) = 0;
  // Messages of one of the user's conversations; none if there is no such conversation.
  virtual absl::StatusOr<std::vector<StoredMessage>> ListMessages(std::string_view user_id,
                                                                  std::string_view conversation_id,
                                                                  const MessageQuery& query) = 0;
  // Artifacts of the messages from `first` to `last`, in their order.
  virtual absl::StatusOr<std::vector<StoredArtifact>> ListArtifacts(std::string_view user_id,
                                                                    std::string_view conversation_id, int64_t first,
                                                                    int64_t last) = 0;

  // A file of pages; nothing if there is none.
  virtual absl::StatusOr<std::optional<FileHead>> FindFile(std::string_view name) = 0;
  // A page below the file's page_count, counted from 0. DATA_LOSS if it is missing.
  virtual absl::StatusOr<std::string> ReadFilePage(std::string_view name, int64_t number) = 0;
};

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
// Every change is recorded, so that it can be taken back. A change that would make the record too long for an undo
// entry (undo_bound.h) returns QUOTA_EXCEEDED, and the transaction must not be committed.
class Transaction : public ReadView {
 public:
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
  virtual absl::Status PushUndoEntry(const UndoEntry& entry) = 0;
  virtual absl::Status SetUndone(std::string_view user_id, std::string_view entry_id, bool undone) = 0;

  virtual absl::Status PutConfirmation(const Confirmation& confirmation) = 0;
  // Moves from `from` to `to`; false if it is no longer in `from`. Because this is atomic, each confirmation is used at
  // most once in the whole fleet.
  virtual absl::StatusOr<bool> TransitionConfirmation(std::string_view id, Confirmation::State from,
                                                      Confirmation::State to, std::string_view decided_by) = 0;

  // Must come first in a transaction with a key: returns the stored outcome, or nothing, in which case this transaction
  // now holds the key: another one with the same key waits for its end. CONFLICT, retryable and refused as ABORTED,
  // while a claim in the journal holds the key.
  virtual absl::StatusOr<std::optional<IdempotentOutcome>> ClaimIdempotencyKey(std::string_view user_id,
                                                                               std::string_view key) = 0;
  // Stores the outcome under a key that was claimed.
  virtual absl::Status PutOutcome(std::string_view user_id, std::string_view key, const IdempotentOutcome& outcome) = 0;

  // Keeps a result of at most kMaxKeptBytes, and drops as many of the user's older ones as necessary.
  virtual absl::Status KeepResult(const KeptResult& result) = 0;

  // Creates the conversation, or replaces its title and pause. updated_at becomes this transaction's time, and so does
  // the created_at of a new one; the number of messages is not read.
  virtual absl::Status PutConversation(const Conversation& conversation) = 0;
  // Appends to one of the user's conversations, whose updated_at becomes this transaction's time. CONFLICT unless
  // `number` is the conversation's message_count and its id is new: somebody else went on with the conversation.
  // NOT_FOUND if there is no such conversation.
  virtual absl::Status AppendMessage(std::string_view user_id, std::string_view conversation_id,
                                     const StoredMessage& message) = 0;
  // NOT_FOUND if there is no such conversation; CONFLICT if the message has an artifact of that number.
  virtual absl::Status PutArtifact(std::string_view user_id, std::string_view conversation_id,
                                   const StoredArtifact& artifact) = 0;
  // With its messages and artifacts. False if there is no such conversation.
  virtual absl::StatusOr<bool> DeleteConversation(std::string_view user_id, std::string_view id) = 0;

  virtual absl::Status PutDocument(std::string_view kind, std::string_view name, std::string_view json) = 0;
  virtual absl::Status DeleteDocument(std::string_view kind, std::string_view name) = 0;

  // Sets the file's length and replaces the given pages, which are numbered below it; pages beyond it are dropped. A
  // new file must be given all its pages; a file without pages does not exist. Its head gets this transaction's change
  // id.
  virtual absl::Status WriteFile(std::string_view name, int64_t page_count,
                                 const std::map<int64_t, std::string>& pages) = 0;

  // Puts a claim into the journal. A claim with an idempotency key needs ClaimIdempotencyKey before it. ABORTED when it
  // is part of a claim that its owner does not hold.
  virtual absl::Status PutClaim(const Claim& claim) = 0;
  // Gives a claim that `owner` holds a new checkpoint and a new end. False if it is gone, or belongs to another
  // process.
  virtual absl::StatusOr<bool> RenewClaim(std::string_view id, std::string_view owner, absl::Time good_until,
                                          std::string_view checkpoint) = 0;
  // Hands a claim from `owner` to `new_owner` and counts a recovery. False if `owner` no longer holds it.
  virtual absl::StatusOr<bool> TakeOverClaim(std::string_view id, std::string_view owner, std::string_view new_owner,
                                             absl::Time good_until) = 0;
  // Takes a claim that `owner` holds off the journal, with its settled steps. False when it is gone, or another
  // process's. FAILED_PRECONDITION while there is a claim that is part of it.
  virtual absl::StatusOr<bool> DropClaim(std::string_view id, std::string_view owner) = 0;
  // Notes a step of a claimed call. False when `owner` does not hold the claim.
  virtual absl::StatusOr<bool> PutSettledStep(const SettledStep& step, std::string_view owner) = 0;
  // Forgets a step that was taken back.
  virtual absl::Status DropSettledStep(std::string_view claim_id, int64_t number) = 0;

  // Appends to the workspace's chain when the transaction commits.
  virtual absl::Status AppendAudit(const v1::AuditEntry& entry) = 0;

 protected:
  // `max_undo_bytes`: limit for all records together; kMaxUndoBytes except in tests.
  // `fields`: borrowed.
  Transaction(WriteContext context, int64_t max_undo_bytes, const DeclaredFields& fields)
      : context_(std::move(context)), max_undo_bytes_(max_undo_bytes), fields_(fields) {}

  int64_t max_undo_bytes() const { return max_undo_bytes_; }
  const DeclaredFields& fields() const { return fields_; }

  // Provided by backends: rows without rules. `change`: of the block's rows in the index over declared fields.
  virtual absl::Status InsertRow(const Block& block, const IndexChange& change) = 0;
  virtual absl::Status UpdateRow(const Block& block, const IndexChange& change) = 0;
  virtual absl::Status DeleteRow(std::string_view id, const IndexChange& change) = 0;
  virtual absl::Status InsertLink(const Link& link) = 0;
  virtual absl::Status EraseLink(const Link& link) = 0;
  // The rank of the sibling at `position` and of the one before it, either empty at an end. `excluding` is not counted.
  struct Neighbours {
    std::string before;
    std::string after;
  };
  virtual absl::StatusOr<Neighbours> FindNeighbours(std::string_view parent_id, std::optional<int64_t> position,
                                                    std::string_view excluding) = 0;
  // The ids of all blocks directly below, in any order, without loading them.
  virtual absl::StatusOr<std::vector<std::string>> ListChildIds(std::string_view parent_id) = 0;
  // Number of siblings before the block.
  virtual absl::StatusOr<int64_t> PlaceOf(const Block& block) = 0;
  virtual absl::Status BeginNested() = 0;
  virtual absl::Status EndNested(bool keep) = 0;
  virtual std::string NewBlockId() = 0;

 private:
  // Hands the rows of its own transaction to those of another one.
  friend class MarkedTransaction;

  // Length of each log at some moment.
  struct Mark {
    size_t blocks;
    size_t links;
    size_t documents;
    size_t effects;
  };

  // The rows of a block, and of its fields in the index.
  absl::Status Insert(const Block& block);
  absl::Status Update(const Block& before, const Block& after);
  absl::Status Erase(const Block& block);
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
  absl::Status Remove(Block block, Deletion& deletion);
  absl::StatusOr<Deletion> RemoveSubtree(Block top);
  absl::Status MoveChildrenUp(const Block& block);
  absl::StatusOr<std::string> ChooseRank(std::string_view parent_id, std::optional<int64_t> position,
                                         std::string_view excluding, std::string_view present_rank);
  // For `count` blocks between a sibling and the next one, in ascending order.
  absl::StatusOr<std::vector<std::string>> ChooseRanksAfter(const Block& sibling, size_t count);
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
  // The present rank for the place of `remembered`.
  absl::StatusOr<std::string> RestoredRank(const Block& remembered);
  // Adds to the block's rank the generation in which it is valid.
  absl::Status RememberPlace(Block& block);
  // Records a block that moves or is deleted.
  absl::Status RecordPlaced(Block before, Image<Block> after);
  // The block's level, 0 for the root itself. NOT_FOUND.
  absl::StatusOr<int64_t> LevelOf(std::string_view id);
  // Number of levels of blocks from this one down to the lowest, including itself; `limit` if there are more.
  absl::StatusOr<int64_t> HeightOf(std::string_view id, int64_t limit);
  absl::Status CheckMoveTarget(std::string_view id, std::string_view parent_id);
  absl::Status CheckMoveDepth(const Block& block, std::string_view parent_id);
  absl::Status AddLink(const Link& link);
  absl::Status RemoveLink(const Link& link);
  // Whether blocks get the very state that is restored, or one of a later version.
  enum class Restore { kLater, kExact };
  absl::Status RevertAs(Changes changes, Restore restore);
  // Leaves the restored state in `before`.
  absl::Status RevertOne(BlockDelta& delta, Restore restore);
  // ABORTED if a sibling has the block's rank.
  absl::Status CheckRankIsFree(const std::string& id);
  absl::Status RevertOne(const DocumentDelta& delta);
  absl::Status TakeBackNewLink(const Link& link);
  absl::Status BringBackLink(const Link& link);
  absl::Status CheckReverted(const BlockDelta& delta);

  WriteContext context_;
  const int64_t max_undo_bytes_;
  const DeclaredFields& fields_;
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
};

enum class CommitMode { kDurable, kDryRun };

// Thread-safe.
class Store {
 public:
  virtual ~Store() = default;

  // Runs `body` on a snapshot. Returns body's status, or the store's if there was no snapshot. Snapshots are few, so
  // `body` must wait for nothing but the store.
  virtual absl::Status Read(std::string_view workspace_id, const ReadPatience& patience,
                            absl::FunctionRef<absl::Status(ReadView&)> body) = 0;
  // Waits for a snapshot without a limit.
  absl::Status Read(std::string_view workspace_id, absl::FunctionRef<absl::Status(ReadView&)> body) {
    return Read(workspace_id, ReadPatience(), body);
  }

  // Runs `body` in a transaction and, if it returns OK, commits durably before returning (kDurable) or rolls everything
  // back (kDryRun). If body fails nothing is kept and its status is returned. `body` may run on another thread, and
  // more than once if the backend must retry; it must not access the store otherwise. It does not run at all once
  // `cancellation` says stop, and from then on accesses to its transaction fail; other callers' bodies in the same
  // commit continue.
  virtual absl::Status Commit(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                              absl::FunctionRef<absl::Status(Transaction&)> body) = 0;

  // Appends to the chains of the entries' workspaces and returns when they are durable.
  absl::Status AppendAudit(const std::vector<v1::AuditEntry>& entries);
  // The same for entries that PackAuditEntry has packed.
  virtual absl::Status AppendPackedAudit(const std::vector<PackedAuditEntry>& entries) = 0;
  // Newest first, with sequence and hashes filled in.
  virtual absl::StatusOr<std::vector<v1::AuditEntry>> SearchAudit(std::string_view workspace_id,
                                                                  const ReadPatience& patience,
                                                                  const AuditQuery& query) = 0;
  // NOT_FOUND (ToolError) if there is none.
  virtual absl::StatusOr<v1::AuditEntry> GetAudit(std::string_view workspace_id, const ReadPatience& patience,
                                                  std::string_view entry_id) = 0;
  virtual absl::StatusOr<ChainReport> VerifyChain(std::string_view workspace_id, const ReadPatience& patience) = 0;
  // Drops entries older than `before`, in one of many steps of limited size, leaving the chains verifiable from their
  // anchors. The first step begins at `from` 0, each later one where the previous one ended. Skips a log that cannot be
  // read.
  virtual absl::StatusOr<AuditTrim> TrimAudit(absl::Time before, int64_t from) = 0;

  // Claims of all workspaces, ordered by the end of their validity; at most `limit`.
  virtual absl::StatusOr<std::vector<OpenClaim>> ListClaims(int64_t limit) = 0;

  // The named secret, created from `fresh` by the first process that requests it: the key of confirmation tokens.
  virtual absl::StatusOr<std::string> GetOrCreateSecret(std::string_view name, std::string_view fresh) = 0;

  // Writes a consistent copy to the new file `path` while serving; if it fails, there is no file. UNIMPLEMENTED if the
  // backend has its own tools for this.
  virtual absl::Status Backup(const std::string& path, const fibers::Cancellation& cancellation) = 0;

  // OK while the store can serve.
  virtual absl::Status CheckHealth() = 0;

  // Whether other processes may use it at the same time.
  virtual bool IsShared() const = 0;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_STORE_H_
