// A store that forwards everything to another one: the base of those that change one part of it.
#ifndef TOOLGATE_STORAGE_FORWARDING_STORE_H_
#define TOOLGATE_STORAGE_FORWARDING_STORE_H_

#include <string>
#include <string_view>
#include <vector>

#include "storage/audit_chain.h"
#include "storage/store.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage {

// Borrows the store. Thread-safe if that is.
class ForwardingStore : public Store {
 public:
  explicit ForwardingStore(Store& store) : store_(store) {}

  using Store::Read;
  absl::Status Read(std::string_view workspace_id, const ReadPatience& patience,
                    absl::FunctionRef<absl::Status(ReadView&)> body) override {
    return store_.Read(workspace_id, patience, body);
  }
  absl::Status Commit(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(Transaction&)> body) override {
    return store_.Commit(context, mode, cancellation, body);
  }
  absl::Status AppendPackedAudit(const std::vector<PackedAuditEntry>& entries) override {
    return store_.AppendPackedAudit(entries);
  }
  absl::StatusOr<std::vector<v1::AuditEntry>> SearchAudit(std::string_view workspace_id, const ReadPatience& patience,
                                                          const AuditQuery& query) override {
    return store_.SearchAudit(workspace_id, patience, query);
  }
  absl::StatusOr<v1::AuditEntry> GetAudit(std::string_view workspace_id, const ReadPatience& patience,
                                          std::string_view entry_id) override {
    return store_.GetAudit(workspace_id, patience, entry_id);
  }
  absl::StatusOr<ChainReport> VerifyChain(std::string_view workspace_id, const ReadPatience& patience) override {
    return store_.VerifyChain(workspace_id, patience);
  }
  absl::StatusOr<AuditTrim> TrimAudit(absl::Time before, int64_t from) override {
    return store_.TrimAudit(before, from);
  }
  absl::StatusOr<std::vector<OpenClaim>> ListClaims(const ClaimPlace& after, int64_t limit) override {
    return store_.ListClaims(after, limit);
  }
  absl::StatusOr<std::string> GetOrCreateSecret(std::string_view name, std::string_view fresh) override {
    return store_.GetOrCreateSecret(name, fresh);
  }
  absl::Status Backup(const std::string& path, const fibers::Cancellation& cancellation) override {
    return store_.Backup(path, cancellation);
  }
  absl::Status CheckHealth() override { return store_.CheckHealth(); }
  bool IsShared() const override { return store_.IsShared(); }
  bool ReadsMayWait() const override { return store_.ReadsMayWait(); }

 protected:
  Store& store() { return store_; }

 private:
  Store& store_;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_FORWARDING_STORE_H_
