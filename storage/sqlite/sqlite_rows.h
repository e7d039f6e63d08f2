// All rows of one workspace on one connection: a reader's snapshot, or a transaction of the writer.
#ifndef TOOLGATE_STORAGE_SQLITE_SQLITE_ROWS_H_
#define TOOLGATE_STORAGE_SQLITE_SQLITE_ROWS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "storage/rows.h"
#include "storage/sqlite/row_access.h"
#include "storage/sqlite/sqlite_block_rows.h"
#include "storage/sqlite/sqlite_conversation_rows.h"
#include "storage/sqlite/sqlite_file_rows.h"
#include "storage/sqlite/sqlite_journal_rows.h"
#include "storage/sqlite/sqlite_link_rows.h"
#include "storage/sqlite/sqlite_record_rows.h"
#include "storage/sqlite/sqlite_undo_rows.h"
#include "storage/sqlite/writer.h"

namespace toolgate::storage::sqlite {

// Of a snapshot: what changes anything returns FAILED_PRECONDITION. Used by one thread at a time.
class SqliteRows : public Rows {
 public:
  BlockRows& blocks() final { return blocks_; }
  LinkRows& links() final { return links_; }
  UndoRows& undo() final { return undo_; }
  ConfirmationRows& confirmations() final { return confirmations_; }
  OutcomeRows& outcomes() final { return outcomes_; }
  KeptResultRows& kept_results() final { return kept_results_; }
  DocumentRows& documents() final { return documents_; }
  JournalRows& journal() final { return journal_; }
  ConversationRows& conversations() final { return conversations_; }
  FileRows& files() final { return files_; }

  absl::Status AppendAudit(std::vector<PackedAuditEntry> entries) override;
  // Nothing is queued here.
  absl::Status Flush() final { return absl::OkStatus(); }
  absl::Status BeginNested() override;
  absl::Status EndNested(bool keep) override;

 protected:
  template <typename... Arguments>
  explicit SqliteRows(Arguments&&... arguments) : access_(std::forward<Arguments>(arguments)...) {}

  RowAccess& access() { return access_; }

 private:
  RowAccess access_;
  SqliteBlockRows blocks_{access_};
  SqliteLinkRows links_{access_};
  SqliteUndoRows undo_{access_};
  SqliteConfirmationRows confirmations_{access_};
  SqliteJournalRows journal_{access_};
  SqliteOutcomeRows outcomes_{access_, journal_};
  SqliteKeptResultRows kept_results_{access_};
  SqliteDocumentRows documents_{access_};
  SqliteConversationRows conversations_{access_};
  SqliteFileRows files_{access_};
};

// Inside a job of a batch.
class SqliteTransactionRows final : public SqliteRows, private SearchCatchUp {
 public:
  // Behaviour of a search if the index is behind by more than one step. All other mutations wait for the transaction,
  // so it should catch up outside of it.
  enum class LongBacklog {
    kGiveUp,  // Fails, after which the transaction must not be committed.
    kRead,    // Reads it nevertheless.
  };

  // `workspace`: its key, 0 if it does not exist yet. `cancellation` ends the reading of a long backlog.
  SqliteTransactionRows(Writer& writer, int64_t workspace, std::string_view workspace_id, const DeclaredFields& fields,
                        const fibers::Cancellation& cancellation, LongBacklog long_backlog);

  absl::Status AppendAudit(std::vector<PackedAuditEntry> entries) override;
  absl::Status BeginNested() override;
  absl::Status EndNested(bool keep) override;

  // Whether a search gave up on a long backlog, even if the body ignored that.
  bool gave_up() const { return gave_up_; }
  // The entries to chain once the body has succeeded.
  std::vector<PackedAuditEntry> TakeAudit() { return std::move(audit_); }

 private:
  absl::Status CatchUpSearch() override;

  Writer& writer_;
  const fibers::Cancellation& cancellation_;
  const LongBacklog long_backlog_;
  bool gave_up_ = false;
  std::vector<PackedAuditEntry> audit_;
  std::vector<int64_t> nested_;  // Number of changes at the beginning of each nested part.
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SQLITE_ROWS_H_
