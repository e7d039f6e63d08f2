// A transaction on the writer's connection, inside a job of a batch.
#ifndef TOOLGATE_STORAGE_SQLITE_SQLITE_TRANSACTION_H_
#define TOOLGATE_STORAGE_SQLITE_SQLITE_TRANSACTION_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "common/fibers/cancellation.h"
#include "common/ids.h"
#include "storage/sqlite/sqlite_view.h"
#include "storage/sqlite/writer.h"
#include "storage/store.h"

namespace toolgate::storage::sqlite {

class SqliteTransaction final : public SqliteView<Transaction> {
 public:
  // Behaviour of a search if the index is behind by more than one step. All other mutations wait for the transaction,
  // so it should catch up outside of it.
  enum class LongBacklog {
    kGiveUp,  // Fails, after which the transaction must not be committed.
    kRead,    // Reads it nevertheless.
  };

  // `workspace`: its key, 0 if it does not exist yet. `cancellation` ends the reading of a long backlog.
  SqliteTransaction(Writer& writer, IdSource& ids, int64_t workspace, const WriteContext& context,
                    const DeclaredFields& fields, int64_t max_undo_bytes, const fibers::Cancellation& cancellation,
                    LongBacklog long_backlog)
      : SqliteView<Transaction>(writer.connection(), workspace, fields, max_undo_bytes, context, max_undo_bytes,
                                fields),
        writer_(writer),
        ids_(ids),
        cancellation_(cancellation),
        long_backlog_(long_backlog) {}

  absl::Status PushUndoEntry(const UndoEntry& entry) override;
  absl::Status SetUndone(std::string_view user_id, std::string_view entry_id, bool undone) override;
  absl::Status PutConfirmation(const Confirmation& confirmation) override;
  absl::StatusOr<bool> TransitionConfirmation(std::string_view id, Confirmation::State from, Confirmation::State to,
                                              std::string_view decided_by) override;
  absl::StatusOr<std::optional<IdempotentOutcome>> ClaimIdempotencyKey(std::string_view user_id,
                                                                       std::string_view key) override;
  absl::Status PutOutcome(std::string_view user_id, std::string_view key, const IdempotentOutcome& outcome) override;
  absl::Status KeepResult(const KeptResult& result) override;
  absl::Status PutConversation(const Conversation& conversation) override;
  absl::Status AppendMessage(std::string_view user_id, std::string_view conversation_id,
                             const StoredMessage& message) override;
  absl::Status PutArtifact(std::string_view user_id, std::string_view conversation_id,
                           const StoredArtifact& artifact) override;
  absl::StatusOr<bool> DeleteConversation(std::string_view user_id, std::string_view id) override;
  absl::Status PutDocument(std::string_view kind, std::string_view name, std::string_view json) override;
  absl::Status DeleteDocument(std::string_view kind, std::string_view name) override;
  absl::Status WriteFile(std::string_view name, int64_t page_count,
                         const std::map<int64_t, std::string>& pages) override;
  absl::Status PutClaim(const Claim& claim) override;
  absl::StatusOr<bool> RenewClaim(std::string_view id, std::string_view owner, absl::Time good_until,
                                  std::string_view checkpoint) override;
  absl::StatusOr<bool> TakeOverClaim(std::string_view id, std::string_view owner, std::string_view new_owner,
                                     absl::Time good_until) override;
  absl::StatusOr<bool> DropClaim(std::string_view id, std::string_view owner) override;
  absl::StatusOr<bool> PutSettledStep(const SettledStep& step, std::string_view owner) override;
  absl::Status DropSettledStep(std::string_view claim_id, int64_t number) override;
  absl::Status AppendAudit(const v1::AuditEntry& entry) override;

  // Whether a search gave up on a long backlog, even if the body ignored that.
  bool gave_up() const { return gave_up_; }
  // The entries to chain once the body has succeeded.
  std::vector<PackedAuditEntry> TakeAudit() { return std::move(audit_); }

 protected:
  absl::Status InsertRow(const Block& block, const IndexChange& change) override;
  absl::Status UpdateRow(const Block& block, const IndexChange& change) override;
  absl::Status DeleteRow(std::string_view id, const IndexChange& change) override;
  absl::Status InsertLink(const Link& link) override;
  absl::Status EraseLink(const Link& link) override;
  absl::StatusOr<Neighbours> FindNeighbours(std::string_view parent_id, std::optional<int64_t> position,
                                            std::string_view excluding) override;
  absl::StatusOr<std::vector<std::string>> ListChildIds(std::string_view parent_id) override;
  absl::StatusOr<int64_t> PlaceOf(const Block& block) override;
  absl::Status BeginNested() override;
  absl::Status EndNested(bool keep) override;
  std::string NewBlockId() override { return ids_.NewId(context().now); }
  absl::Status CatchUpSearch() override;

 private:
  // Called before every change: creates the savepoint of the job, and the workspace's row.
  absl::Status BeforeChange();
  // The row of a block, noted for the search index if that has read it already.
  absl::StatusOr<int64_t> NotedRow(std::string_view id);
  absl::Status ChangeFields(int64_t row, const IndexChange& change);
  // Inserts the row at that place of the stack. `undoes`, `affected`: JSON.
  absl::Status PutUndoEntry(const UndoEntry& entry, int64_t place, std::string_view undoes, std::string_view affected);
  // The file's key after its head was written.
  absl::StatusOr<int64_t> PutFileHead(std::string_view name, int64_t page_count);

  Writer& writer_;
  IdSource& ids_;
  const fibers::Cancellation& cancellation_;
  const LongBacklog long_backlog_;
  bool gave_up_ = false;
  std::vector<PackedAuditEntry> audit_;
  // State at the beginning of each Nested.
  struct NestedStart {
    size_t audit;
    int64_t changes;
  };
  std::vector<NestedStart> nested_;
  absl::flat_hash_set<std::pair<std::string, std::string>> claimed_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SQLITE_TRANSACTION_H_
