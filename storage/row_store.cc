#include "storage/row_store.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/fault.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage {
namespace {

template <typename T>
absl::StatusOr<T> Marked(absl::StatusOr<T> answer) {
  if (answer.ok()) return answer;
  return MarkFault(std::move(answer).status());
}

}  // namespace

RowStore::RowStore(std::unique_ptr<Backend> backend, Options options)
    : options_(std::move(options)), backend_(std::move(backend)) {}

absl::Duration RowStore::Stopwatch() const {
  return options_.observer == nullptr ? absl::ZeroDuration() : options_.clock->Monotonic();
}

absl::Status RowStore::Read(std::string_view workspace_id, const ReadPatience& patience,
                            absl::FunctionRef<absl::Status(ReadView&)> body) {
  const absl::Duration start = Stopwatch();
  absl::Status of_body;
  absl::Status status = backend_->Read(workspace_id, patience, [&](Rows& rows) {
    ReadView view(rows, options_.max_undo_bytes);
    return of_body = body(view);
  });
  if (options_.observer != nullptr) options_.observer->OnRead(Stopwatch() - start);
  // A failure of the body is marked already if it was the backend's.
  return of_body.ok() ? MarkFault(std::move(status)) : status;
}

absl::Status RowStore::Commit(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                              absl::FunctionRef<absl::Status(Transaction&)> body) {
  const absl::Duration start = Stopwatch();
  const Transaction::Rules rules{options_.fields, *options_.ids, options_.max_undo_bytes};
  absl::Status of_body;
  std::vector<std::string> signals;
  absl::Status status = backend_->Commit(context, mode, cancellation, [&](Rows& rows) -> absl::Status {
    const absl::Duration begun = Stopwatch();
    Transaction transaction(context, rows, cancellation, rules);
    of_body = body(transaction);
    absl::Status finished = of_body;
    if (finished.ok() && mode == CommitMode::kDurable) finished = transaction.Finish();
    signals = transaction.signals();
    if (options_.observer != nullptr) options_.observer->OnBody(context.tool_id, Stopwatch() - begun);
    return finished;
  });
  if (options_.observer != nullptr) options_.observer->OnWrite(Stopwatch() - start);
  if (status.ok() && mode == CommitMode::kDurable && options_.on_signal != nullptr) {
    for (const std::string& subject : signals) options_.on_signal(subject);
  }
  return of_body.ok() ? MarkFault(std::move(status)) : status;
}

absl::Status RowStore::AppendPackedAudit(const std::vector<PackedAuditEntry>& entries) {
  return MarkFault(backend_->AppendPackedAudit(entries));
}

absl::StatusOr<std::vector<v1::AuditEntry>> RowStore::SearchAudit(std::string_view workspace_id,
                                                                  const ReadPatience& patience,
                                                                  const AuditQuery& query) {
  return Marked(backend_->SearchAudit(workspace_id, patience, query));
}

absl::StatusOr<v1::AuditEntry> RowStore::GetAudit(std::string_view workspace_id, const ReadPatience& patience,
                                                  std::string_view entry_id) {
  ASSIGN_OR_RETURN(std::optional<v1::AuditEntry> found, Marked(backend_->FindAudit(workspace_id, patience, entry_id)));
  if (found.has_value()) return *std::move(found);
  return MakeError(ErrorCode::kNotFound, absl::StrCat("there is no audit entry ", ToAbsl(entry_id)));
}

absl::StatusOr<ChainReport> RowStore::VerifyChain(std::string_view workspace_id, const ReadPatience& patience) {
  return Marked(backend_->VerifyChain(workspace_id, patience));
}

absl::StatusOr<AuditTrim> RowStore::TrimAudit(absl::Time before, int64_t from) {
  return Marked(backend_->TrimAudit(before, from));
}

absl::StatusOr<std::vector<OpenClaim>> RowStore::ListClaims(const ClaimPlace& after, int64_t limit) {
  return Marked(backend_->ListClaims(after, limit));
}

absl::StatusOr<std::string> RowStore::GetOrCreateSecret(std::string_view name, std::string_view fresh) {
  return Marked(backend_->GetOrCreateSecret(name, fresh));
}

// Its failures may also be due to the path, and no tool encounters them.
absl::Status RowStore::Backup(const std::string& path, const fibers::Cancellation& cancellation) {
  const absl::Duration start = Stopwatch();
  absl::Status status = backend_->Backup(path, cancellation);
  if (options_.observer != nullptr) options_.observer->OnBackup(Stopwatch() - start);
  return status;
}

absl::Status RowStore::CheckHealth() { return MarkFault(backend_->CheckHealth()); }

}  // namespace toolgate::storage
