// The store over a backend.
#ifndef TOOLGATE_STORAGE_ROW_STORE_H_
#define TOOLGATE_STORAGE_ROW_STORE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/clock.h"
#include "common/ids.h"
#include "storage/backend.h"
#include "storage/declared_fields.h"
#include "storage/signals.h"
#include "storage/store.h"
#include "storage/store_observer.h"
#include "storage/undo_bound.h"

namespace toolgate::storage {

// Puts the rules (ReadView, Transaction) over a backend's rows, marks its failures (fault.h), so that a tool that
// encounters one, and returns it, is not considered broken, and tells the observer of reads and writes. Thread-safe.
class RowStore final : public Store {
 public:
  struct Options {
    DeclaredFields fields = {};              // Of the types of blocks.
    int64_t max_undo_bytes = kMaxUndoBytes;  // Of one undo entry; others are for tests.
    // Borrowed.
    IdSource* ids = &IdSource::Real();
    const Clock* clock = &Clock::Real();
    StoreObserver* observer = nullptr;
    OnSignal on_signal = nullptr;
  };

  RowStore(std::unique_ptr<Backend> backend, Options options);

  using Store::Read;
  absl::Status Read(std::string_view workspace_id, const ReadPatience& patience,
                    absl::FunctionRef<absl::Status(ReadView&)> body) override;
  absl::Status Commit(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(Transaction&)> body) override;
  absl::Status AppendPackedAudit(const std::vector<PackedAuditEntry>& entries) override;
  absl::StatusOr<std::vector<v1::AuditEntry>> SearchAudit(std::string_view workspace_id, const ReadPatience& patience,
                                                          const AuditQuery& query) override;
  absl::StatusOr<v1::AuditEntry> GetAudit(std::string_view workspace_id, const ReadPatience& patience,
                                          std::string_view entry_id) override;
  absl::StatusOr<ChainReport> VerifyChain(std::string_view workspace_id, const ReadPatience& patience) override;
  absl::StatusOr<AuditTrim> TrimAudit(absl::Time before, int64_t from) override;
  absl::StatusOr<std::vector<OpenClaim>> ListClaims(const ClaimPlace& after, int64_t limit) override;
  absl::StatusOr<std::string> GetOrCreateSecret(std::string_view name, std::string_view fresh) override;
  absl::Status Backup(const std::string& path, const fibers::Cancellation& cancellation) override;
  absl::Status CheckHealth() override;
  bool IsShared() const override { return backend_->IsShared(); }
  bool ReadsMayWait() const override { return backend_->ReadsMayWait(); }

 private:
  // Time of the clock, if an observer needs durations.
  absl::Duration Stopwatch() const;

  const Options options_;
  const std::unique_ptr<Backend> backend_;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_ROW_STORE_H_
