// A store whose operations are spans of the calls they are for.
#ifndef TOOLGATE_STORAGE_TRACED_STORE_H_
#define TOOLGATE_STORAGE_TRACED_STORE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "observability/tracing/call_span.h"
#include "observability/tracing/span.h"
#include "storage/forwarding_store.h"
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
// "write DATABASE", with the time that a mutation waited for its turn; any other costs one comparison. Must
// outlive the export of spans. Thread-safe.
class TracedStore final : public ForwardingStore {
 public:
  TracedStore(std::unique_ptr<Store> store, TracedDatabase database);

  using Store::Read;
  absl::Status Read(std::string_view workspace_id, const ReadPatience& patience,
                    absl::FunctionRef<absl::Status(ReadView&)> body) override;
  absl::Status Commit(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(Transaction&)> body) override;
  absl::StatusOr<std::vector<v1::AuditEntry>> SearchAudit(std::string_view workspace_id, const ReadPatience& patience,
                                                          const AuditQuery& query) override;
  absl::StatusOr<v1::AuditEntry> GetAudit(std::string_view workspace_id, const ReadPatience& patience,
                                          std::string_view entry_id) override;
  absl::StatusOr<ChainReport> VerifyChain(std::string_view workspace_id, const ReadPatience& patience) override;

 private:
  class Operation;

  const std::unique_ptr<Store> owned_;
  const TracedDatabase database_;
  const std::string read_name_;
  const std::string write_name_;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_TRACED_STORE_H_
