// A backend that forwards everything to another one, for tests that change one part of it.
#ifndef TOOLGATE_TESTS_SUPPORT_FORWARDING_BACKEND_H_
#define TOOLGATE_TESTS_SUPPORT_FORWARDING_BACKEND_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/backend.h"
#include "storage/rows.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::testing {

class ForwardingRows : public storage::Rows {
 public:
  explicit ForwardingRows(storage::Rows& rows) : rows_(rows) {}

  storage::BlockRows& blocks() override { return rows_.blocks(); }
  storage::LinkRows& links() override { return rows_.links(); }
  storage::UndoRows& undo() override { return rows_.undo(); }
  storage::ConfirmationRows& confirmations() override { return rows_.confirmations(); }
  storage::OutcomeRows& outcomes() override { return rows_.outcomes(); }
  storage::KeptResultRows& kept_results() override { return rows_.kept_results(); }
  storage::DocumentRows& documents() override { return rows_.documents(); }
  storage::JournalRows& journal() override { return rows_.journal(); }
  storage::ConversationRows& conversations() override { return rows_.conversations(); }
  storage::FileRows& files() override { return rows_.files(); }
  absl::Status AppendAudit(std::vector<storage::PackedAuditEntry> entries) override {
    return rows_.AppendAudit(std::move(entries));
  }
  absl::Status Flush() override { return rows_.Flush(); }
  absl::Status BeginNested() override { return rows_.BeginNested(); }
  absl::Status EndNested(bool keep) override { return rows_.EndNested(keep); }

 private:
  storage::Rows& rows_;
};

class ForwardingBackend : public storage::Backend {
 public:
  explicit ForwardingBackend(std::unique_ptr<storage::Backend> backend) : backend_(std::move(backend)) {}

  absl::Status Read(std::string_view workspace_id, const storage::ReadPatience& patience,
                    absl::FunctionRef<absl::Status(storage::Rows&)> body) override {
    return backend_->Read(workspace_id, patience, body);
  }
  absl::Status Commit(const storage::WriteContext& context, storage::CommitMode mode,
                      const fibers::Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(storage::Rows&)> body) override {
    return backend_->Commit(context, mode, cancellation, body);
  }
  absl::Status AppendPackedAudit(const std::vector<storage::PackedAuditEntry>& entries) override {
    return backend_->AppendPackedAudit(entries);
  }
  absl::StatusOr<std::vector<v1::AuditEntry>> SearchAudit(std::string_view workspace_id,
                                                          const storage::ReadPatience& patience,
                                                          const storage::AuditQuery& query) override {
    return backend_->SearchAudit(workspace_id, patience, query);
  }
  absl::StatusOr<std::optional<v1::AuditEntry>> FindAudit(std::string_view workspace_id,
                                                          const storage::ReadPatience& patience,
                                                          std::string_view entry_id) override {
    return backend_->FindAudit(workspace_id, patience, entry_id);
  }
  absl::StatusOr<storage::ChainReport> VerifyChain(std::string_view workspace_id,
                                                   const storage::ReadPatience& patience) override {
    return backend_->VerifyChain(workspace_id, patience);
  }
  absl::StatusOr<storage::AuditTrim> TrimAudit(absl::Time before, int64_t from) override {
    return backend_->TrimAudit(before, from);
  }
  absl::StatusOr<std::vector<storage::OpenClaim>> ListClaims(const storage::ClaimPlace& after, int64_t limit) override {
    return backend_->ListClaims(after, limit);
  }
  absl::StatusOr<std::string> GetOrCreateSecret(std::string_view name, std::string_view fresh) override {
    return backend_->GetOrCreateSecret(name, fresh);
  }
  absl::Status Backup(const std::string& path, const fibers::Cancellation& cancellation) override {
    return backend_->Backup(path, cancellation);
  }
  absl::Status CheckHealth() override { return backend_->CheckHealth(); }
  bool IsShared() const override { return backend_->IsShared(); }
  bool ReadsMayWait() const override { return backend_->ReadsMayWait(); }

 protected:
  storage::Backend& backend() { return *backend_; }

 private:
  const std::unique_ptr<storage::Backend> backend_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_FORWARDING_BACKEND_H_
