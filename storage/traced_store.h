// A store whose operations are spans of the calls they are for.
#ifndef TOOLGATE_STORAGE_TRACED_STORE_H_
#define TOOLGATE_STORAGE_TRACED_STORE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "observability/tracing/call_span.h"
#include "observability/tracing/span.h"
#include "storage/store.h"

namespace toolgate::storage {

// The database under a store, in the terms of OpenTelemetry's conventions.
struct TracedDatabase {
  std::string_view system;  // db.system.name, a constant.
  std::string name;         // db.namespace.
  // kInternal for a database within this process.
  observability::tracing::SpanKind kind = observability::tracing::SpanKind::kClient;
};

// Forwards everything to `store`. A read or a mutation whose call is sampled becomes a span of it, "read DATABASE" or
// "write DATABASE", with the time that a mutation waited for its turn; any other costs one comparison. Backends need to
// do nothing for it. Must outlive the export of spans. Thread-safe if the store is, which it borrows.
class TracedStore final : public Store {
 public:
  TracedStore(Store& store, TracedDatabase database);

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
  class Operation;

  Store& store_;
  const TracedDatabase database_;
  const std::string read_name_;
  const std::string write_name_;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_TRACED_STORE_H_
