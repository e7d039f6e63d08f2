// All rows of one workspace in one transaction.
#ifndef TOOLGATE_STORAGE_POSTGRES_POSTGRES_ROWS_H_
#define TOOLGATE_STORAGE_POSTGRES_POSTGRES_ROWS_H_

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "storage/postgres/block_rows.h"
#include "storage/postgres/conversation_rows.h"
#include "storage/postgres/file_rows.h"
#include "storage/postgres/journal_rows.h"
#include "storage/postgres/link_rows.h"
#include "storage/postgres/record_rows.h"
#include "storage/postgres/session.h"
#include "storage/postgres/undo_rows.h"
#include "storage/rows.h"

namespace toolgate::storage::postgres {

// In a snapshot, what changes anything returns FAILED_PRECONDITION. Used by one thread at a time.
class PostgresRows final : public Rows {
 public:
  // Borrows both. `audit` receives the entries to chain once the transaction's body has succeeded; nullptr: a snapshot.
  PostgresRows(Session& session, std::vector<PackedAuditEntry>* audit) : session_(session), audit_(audit) {}

  BlockRows& blocks() override { return blocks_; }
  LinkRows& links() override { return links_; }
  UndoRows& undo() override { return undo_; }
  ConfirmationRows& confirmations() override { return confirmations_; }
  OutcomeRows& outcomes() override { return outcomes_; }
  KeptResultRows& kept_results() override { return kept_results_; }
  DocumentRows& documents() override { return documents_; }
  JournalRows& journal() override { return journal_; }
  ConversationRows& conversations() override { return conversations_; }
  FileRows& files() override { return files_; }

  absl::Status AppendAudit(std::vector<PackedAuditEntry> entries) override {
    if (audit_ == nullptr) return absl::FailedPreconditionError("a snapshot cannot be changed");
    std::move(entries.begin(), entries.end(), std::back_inserter(*audit_));
    return absl::OkStatus();
  }
  // Queued writes go with the commit.
  absl::Status Flush() override { return absl::OkStatus(); }
  absl::Status BeginNested() override { return session_.BeginNested(); }
  absl::Status EndNested(bool keep) override { return session_.EndNested(keep); }

 private:
  Session& session_;
  std::vector<PackedAuditEntry>* const audit_;
  PostgresBlockRows blocks_{session_};
  PostgresLinkRows links_{session_};
  PostgresUndoRows undo_{session_};
  PostgresConfirmationRows confirmations_{session_};
  PostgresJournalRows journal_{session_};
  PostgresOutcomeRows outcomes_{session_, journal_};
  PostgresKeptResultRows kept_results_{session_};
  PostgresDocumentRows documents_{session_};
  PostgresConversationRows conversations_{session_};
  PostgresFileRows files_{session_};
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_POSTGRES_ROWS_H_
