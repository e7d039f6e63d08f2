// A store whose failures carry a mark.
#ifndef TOOLGATE_STORAGE_MARKED_STORE_H_
#define TOOLGATE_STORAGE_MARKED_STORE_H_

#include <string>
#include <string_view>
#include <vector>

#include "storage/store.h"

namespace toolgate::storage {

// Forwards everything to `store` and marks its failures (storage/fault.h), also those of its views and transactions: so
// a tool that encounters such a failure, and returns it, is not considered broken. Backends need to do nothing for it.
// Thread-safe if the store is, which it borrows.
class MarkedStore final : public Store {
 public:
  explicit MarkedStore(Store& store) : store_(store) {}

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
  absl::StatusOr<std::vector<OpenClaim>> ListClaims(int64_t limit) override;
  absl::StatusOr<std::string> GetOrCreateSecret(std::string_view name, std::string_view fresh) override;
  absl::Status Backup(const std::string& path, const fibers::Cancellation& cancellation) override;
  absl::Status CheckHealth() override;
  bool IsShared() const override { return store_.IsShared(); }

 private:
  Store& store_;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_MARKED_STORE_H_
