// Rows of one workspace: what a backend provides, without rules.
//
// ReadView and Transaction hold the rules, and call these interfaces, one for each domain. Where there may be many
// rows, methods take and return sets, so that a backend behind a network needs one round trip for each. What they
// return is in any order unless an order is named. They decide nothing: to check, trim, count or refuse is a rule.
//
// Writes may be queued: a backend sends them with its next read, or at the latest in Flush, and may return their errors
// only then. All writes of one domain happen in the order in which they were given.
//
// Errors: never a ToolError, except for the end of a call (TIMEOUT, CANCELLED). Failures of the backend carry its mark
// (storage/fault.h). Used by one thread at a time.
#ifndef TOOLGATE_STORAGE_ROWS_H_
#define TOOLGATE_STORAGE_ROWS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/audit_chain.h"
#include "storage/block.h"
#include "storage/conversation.h"
#include "storage/index_entries.h"
#include "storage/journal.h"
#include "storage/link.h"
#include "storage/query.h"
#include "storage/records.h"

namespace toolgate::storage {

using Ids = absl::Span<const std::string_view>;

// ---- Blocks ---------------------------------------------------------------------------------------------------------

// One block's row. Unset `before`: it is new; unset `after`: it goes. Borrowed for the call.
struct BlockWrite {
  const Block* before = nullptr;
  const Block* after = nullptr;
  IndexChange index;  // Of its rows in the index over declared fields.
};

// Ranks of the siblings around a place; empty: the end.
struct Neighbours {
  std::string before;
  std::string after;
};

// A block's place in the forest.
struct BlockPlace {
  std::string id;
  std::string parent_id;
  std::string change_id;  // Of its present content.
};

enum class Below { kChildren, kAll };

class BlockRows {
 public:
  virtual ~BlockRows() = default;

  // Those that exist.
  virtual absl::StatusOr<std::vector<Block>> Find(Ids ids) = 0;
  // Of those that exist, and of all blocks above them, each once. Reads no data.
  virtual absl::StatusOr<std::vector<BlockPlace>> FindPlaces(Ids ids) = 0;
  // Behind `after`, in sibling order; `limit` at most.
  virtual absl::StatusOr<std::vector<Block>> ListChildren(std::string_view parent_id, const SiblingPlace& after,
                                                          int64_t limit) = 0;
  // Parents before their children.
  virtual absl::StatusOr<std::vector<Block>> ListBelow(std::string_view id) = 0;
  // One child of each of the blocks that has any.
  virtual absl::StatusOr<std::vector<Block>> FindOneChildOfEach(Ids parent_ids) = 0;
  // Calls `visit` with the id and the size of the data of each block below, parents before their children, until it
  // returns false. Reads no data.
  virtual absl::Status VisitSizes(std::string_view id, Below below,
                                  absl::FunctionRef<bool(std::string_view id, int64_t data_bytes)> visit) = 0;
  // Number of levels of blocks from this one down to the lowest, including itself; `limit` if there are more.
  virtual absl::StatusOr<int64_t> MeasureHeight(std::string_view id, int64_t limit) = 0;
  // Around `position` among the siblings without `excluding`; unset, or beyond their number: the end.
  virtual absl::StatusOr<Neighbours> FindNeighbours(std::string_view parent_id, std::optional<int64_t> position,
                                                    std::string_view excluding) = 0;
  // Those of the blocks that share their rank with a sibling.
  virtual absl::StatusOr<std::vector<std::string>> FindSharedRanks(Ids ids) = 0;
  // Number of siblings before the block.
  virtual absl::StatusOr<int64_t> CountBefore(const Block& block) = 0;
  virtual absl::StatusOr<BlockPage> Query(const BlockQuery& query) = 0;
  // Also finds what was committed meanwhile, if the backend moves to a newer snapshot for it.
  virtual absl::StatusOr<SearchPage> Search(const SearchQuery& query) = 0;

  virtual absl::Status Write(absl::Span<const BlockWrite> writes) = 0;
};

// ---- Links ----------------------------------------------------------------------------------------------------------

// Identifies a link.
struct LinkKey {
  std::string_view from_id;
  std::string_view to_id;
  std::string_view relation;
};

class LinkRows {
 public:
  virtual ~LinkRows() = default;

  // Those that exist.
  virtual absl::StatusOr<std::vector<Link>> Find(absl::Span<const LinkKey> keys) = 0;
  // From or to the block, by the id at the other end, relation and source; `limit` at most.
  virtual absl::StatusOr<std::vector<Link>> List(std::string_view block_id, int64_t limit) = 0;
  // From or to any of the blocks, each once.
  virtual absl::StatusOr<std::vector<Link>> FindOfBlocks(Ids block_ids) = 0;

  virtual absl::Status Erase(absl::Span<const Link> links) = 0;
  virtual absl::Status Insert(absl::Span<const Link> links) = 0;
};

// ---- Undo -----------------------------------------------------------------------------------------------------------

// Of a user's undo entries, which are numbered in the order in which they were pushed.
struct UndoHead {
  int64_t number = 0;
  std::string id;
  bool undone = false;
  std::vector<std::string> undoes;

  bool is_undo() const { return !undoes.empty(); }
};

// Parts of an undo entry's changes: none, what store.h calls an outline, or all.
enum class UndoContent { kNone, kOutline, kWhole };

// Entries of a user that nothing shows any more, by their numbers. 0: none.
struct UndoTrim {
  int64_t emptied_up_to = 0;        // Lose what only an undo needs: description, blocks and changes.
  int64_t dropped_up_to = 0;        // Go.
  int64_t undos_dropped_up_to = 0;  // Go if they are undos.
};

class UndoRows {
 public:
  virtual ~UndoRows() = default;

  // From the newest entry down to the newest `changes` ones that are not undos.
  virtual absl::StatusOr<std::vector<UndoHead>> ListHeads(std::string_view user_id, int64_t changes) = 0;
  // Entries with these numbers, in that order.
  virtual absl::StatusOr<std::vector<UndoEntry>> Load(std::string_view user_id, absl::Span<const int64_t> numbers,
                                                      UndoContent content) = 0;
  // Whether the group has an entry below this number that is neither an undo nor undone.
  virtual absl::StatusOr<bool> HasBelow(std::string_view user_id, const UndoGroup& group, int64_t number) = 0;
  // The number for the user's next entry, above all that were given out.
  virtual absl::StatusOr<int64_t> NextNumber(std::string_view user_id) = 0;

  virtual absl::Status Push(int64_t number, const UndoEntry& entry) = 0;
  virtual absl::Status Drop(std::string_view user_id, absl::Span<const int64_t> numbers) = 0;
  virtual absl::Status SetUndone(std::string_view user_id, int64_t number, bool undone) = 0;
  virtual absl::Status Trim(std::string_view user_id, const UndoTrim& trim) = 0;
};

// ---- Records --------------------------------------------------------------------------------------------------------

class ConfirmationRows {
 public:
  virtual ~ConfirmationRows() = default;

  virtual absl::StatusOr<std::optional<Confirmation>> Find(std::string_view id) = 0;
  // Pending and not expired at `now`, oldest first, those after `after_id`.
  virtual absl::StatusOr<std::vector<Confirmation>> ListPending(absl::Time now, int64_t limit,
                                                                std::string_view after_id) = 0;
  virtual absl::StatusOr<PendingConfirmations> CountPending(absl::Time now, std::string_view user_id) = 0;

  // Inserts or replaces.
  virtual absl::Status Put(const Confirmation& confirmation) = 0;
};

// Content of an idempotency key.
struct KeyHolder {
  std::optional<IdempotentOutcome> outcome;
  std::optional<Claim> claim;
};

class OutcomeRows {
 public:
  virtual ~OutcomeRows() = default;

  virtual absl::StatusOr<std::optional<IdempotentOutcome>> Find(std::string_view user_id, std::string_view key,
                                                                absl::Time created_after) = 0;
  // Holds the key until the transaction ends: another one that takes it waits until then.
  virtual absl::StatusOr<KeyHolder> TakeKey(std::string_view user_id, std::string_view key,
                                            absl::Time created_after) = 0;

  // Inserts or replaces.
  virtual absl::Status Put(std::string_view user_id, std::string_view key, const IdempotentOutcome& outcome) = 0;
};

struct KeptSize {
  std::string id;
  int64_t bytes = 0;
};

class KeptResultRows {
 public:
  virtual ~KeptResultRows() = default;

  // At most `length` bytes from `offset` on.
  virtual absl::StatusOr<std::optional<KeptPart>> ReadPart(std::string_view user_id, std::string_view id,
                                                           int64_t offset, int64_t length,
                                                           absl::Time created_after) = 0;
  // Newest first.
  virtual absl::StatusOr<std::vector<KeptSize>> ListSizes(std::string_view user_id) = 0;

  virtual absl::Status Insert(const KeptResult& result) = 0;
  virtual absl::Status Erase(std::string_view user_id, Ids ids) = 0;
};

// Identifies a document.
struct DocumentKey {
  std::string_view kind;
  std::string_view name;
};

class DocumentRows {
 public:
  virtual ~DocumentRows() = default;

  // Those that exist.
  virtual absl::StatusOr<std::vector<Document>> Find(absl::Span<const DocumentKey> keys) = 0;

  // Inserts or replaces.
  virtual absl::Status Put(const DocumentKey& key, std::string_view json) = 0;
  virtual absl::Status Erase(const DocumentKey& key) = 0;
};

// ---- The journal ----------------------------------------------------------------------------------------------------

class JournalRows {
 public:
  virtual ~JournalRows() = default;

  virtual absl::StatusOr<std::optional<Claim>> Find(std::string_view id) = 0;
  // The claim that holds the user's key.
  virtual absl::StatusOr<std::optional<Claim>> FindByKey(std::string_view user_id, std::string_view key) = 0;
  // The claims that are part of this one.
  virtual absl::StatusOr<std::vector<Claim>> ListParts(std::string_view id) = 0;
  // In the order of their numbers.
  virtual absl::StatusOr<std::vector<SettledStep>> ListSteps(std::string_view claim_id) = 0;

  virtual absl::Status Insert(const Claim& claim) = 0;
  // Its owner, end, recoveries and checkpoint.
  virtual absl::Status Update(const Claim& claim) = 0;
  // With its steps.
  virtual absl::Status Erase(std::string_view claim_id) = 0;
  virtual absl::Status InsertStep(const SettledStep& step) = 0;
  virtual absl::Status EraseStep(std::string_view claim_id, int64_t number) = 0;
};

// ---- Conversations --------------------------------------------------------------------------------------------------

class ConversationRows {
 public:
  virtual ~ConversationRows() = default;

  virtual absl::StatusOr<std::optional<Conversation>> Find(std::string_view user_id, std::string_view id) = 0;
  // Those behind `after`, the one that changed last first; `limit` at most.
  virtual absl::StatusOr<std::vector<Conversation>> List(std::string_view user_id, int64_t limit,
                                                         const ConversationPlace& after) = 0;
  virtual absl::StatusOr<std::vector<StoredMessage>> ListMessages(std::string_view user_id,
                                                                  std::string_view conversation_id,
                                                                  const MessageQuery& query) = 0;
  // Of the messages from `first` to `last`, in their order.
  virtual absl::StatusOr<std::vector<StoredArtifact>> ListArtifacts(std::string_view user_id,
                                                                    std::string_view conversation_id, int64_t first,
                                                                    int64_t last) = 0;
  virtual absl::StatusOr<bool> HasMessage(std::string_view user_id, std::string_view conversation_id,
                                          std::string_view message_id) = 0;
  virtual absl::StatusOr<bool> HasArtifact(std::string_view user_id, std::string_view conversation_id, int64_t message,
                                           int64_t number) = 0;

  // Inserts, or replaces title, pause, updated_at and number of messages.
  virtual absl::Status Put(const Conversation& conversation) = 0;
  // Of a conversation that exists, like the next.
  virtual absl::Status InsertMessage(std::string_view user_id, std::string_view conversation_id,
                                     const StoredMessage& message) = 0;
  virtual absl::Status InsertArtifact(std::string_view user_id, std::string_view conversation_id,
                                      const StoredArtifact& artifact) = 0;
  // With its messages and artifacts.
  virtual absl::Status Erase(std::string_view user_id, std::string_view id) = 0;
};

// ---- Files of pages -------------------------------------------------------------------------------------------------

class FileRows {
 public:
  virtual ~FileRows() = default;

  virtual absl::StatusOr<std::optional<FileHead>> Find(std::string_view name) = 0;
  // Those that exist, by number.
  virtual absl::StatusOr<std::map<int64_t, std::string>> ReadPages(std::string_view name,
                                                                   absl::Span<const int64_t> numbers) = 0;

  // Sets the file's length, which drops what is beyond it, and replaces pages. A file without pages goes.
  virtual absl::Status Write(std::string_view name, const FileHead& head,
                             const std::map<int64_t, std::string>& pages) = 0;
};

// ---- All of them ----------------------------------------------------------------------------------------------------

class Rows {
 public:
  virtual ~Rows() = default;

  virtual BlockRows& blocks() = 0;
  virtual LinkRows& links() = 0;
  virtual UndoRows& undo() = 0;
  virtual ConfirmationRows& confirmations() = 0;
  virtual OutcomeRows& outcomes() = 0;
  virtual KeptResultRows& kept_results() = 0;
  virtual DocumentRows& documents() = 0;
  virtual JournalRows& journal() = 0;
  virtual ConversationRows& conversations() = 0;
  virtual FileRows& files() = 0;

  // Appends to the workspace's audit chain when the transaction commits: the chain's head is taken last.
  virtual absl::Status AppendAudit(std::vector<PackedAuditEntry> entries) = 0;
  // Sends what is queued.
  virtual absl::Status Flush() = 0;

  // A part of the transaction that can be rolled back by itself. May be nested. Queued like writes.
  virtual absl::Status BeginNested() = 0;
  virtual absl::Status EndNested(bool keep) = 0;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_ROWS_H_
