// Interface of a backend. RowStore makes a Store of it.
//
// Errors: as of rows (rows.h). Only those from within a body of Read or Commit must carry the mark of a fault; RowStore
// marks the rest.
#ifndef TOOLGATE_STORAGE_BACKEND_H_
#define TOOLGATE_STORAGE_BACKEND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "storage/audit_chain.h"
#include "storage/journal.h"
#include "storage/query.h"
#include "storage/read_patience.h"
#include "storage/records.h"
#include "storage/rows.h"
#include "storage/store.h"
#include "storage/transaction.h"

namespace toolgate::storage {

// Thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;

  // Runs `body` on a snapshot of the workspace.
  virtual absl::Status Read(std::string_view workspace_id, const ReadPatience& patience,
                            absl::FunctionRef<absl::Status(Rows&)> body) = 0;
  // Runs `body` in a transaction, as Store::Commit describes.
  virtual absl::Status Commit(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                              absl::FunctionRef<absl::Status(Rows&)> body) = 0;

  // The same as in Store.
  virtual absl::Status AppendPackedAudit(const std::vector<PackedAuditEntry>& entries) = 0;
  virtual absl::StatusOr<std::vector<v1::AuditEntry>> SearchAudit(std::string_view workspace_id,
                                                                  const ReadPatience& patience,
                                                                  const AuditQuery& query) = 0;
  virtual absl::StatusOr<std::optional<v1::AuditEntry>> FindAudit(std::string_view workspace_id,
                                                                  const ReadPatience& patience,
                                                                  std::string_view entry_id) = 0;
  virtual absl::StatusOr<ChainReport> VerifyChain(std::string_view workspace_id, const ReadPatience& patience) = 0;
  virtual absl::StatusOr<AuditTrim> TrimAudit(absl::Time before, int64_t from) = 0;
  virtual absl::StatusOr<std::vector<OpenClaim>> ListClaims(const ClaimPlace& after, int64_t limit) = 0;
  virtual absl::StatusOr<std::string> GetOrCreateSecret(std::string_view name, std::string_view fresh) = 0;
  virtual absl::Status Backup(const std::string& path, const fibers::Cancellation& cancellation) = 0;
  virtual absl::Status CheckHealth() = 0;
  virtual bool IsShared() const = 0;
  virtual bool ReadsMayWait() const = 0;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_BACKEND_H_
