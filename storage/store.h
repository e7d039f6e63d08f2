// Storage for all data of toolgate: blocks, undo stacks, confirmations, idempotency records, documents and the audit
// log.
//
// Nothing here knows SQL. RowStore implements Store over a backend (backend.h), which provides rows (rows.h); the rules
// that every backend shares are written once, in ReadView and Transaction. One suite, tests/contract/storage, runs
// against every backend.
//
// Errors: a caller's mistake is a ToolError (NOT_FOUND, CONFLICT, …); an unreachable backend is UNAVAILABLE without a
// ToolError; anything else is INTERNAL or DATA_LOSS without one.
//
// All work for a call ends with it: once its deadline has passed or its client has left, its views and transactions
// return the call's own error (TIMEOUT or CANCELLED, as ToolError), also in the middle of a long query. A change that
// has begun, and a commit, run to their end.
#ifndef TOOLGATE_STORAGE_STORE_H_
#define TOOLGATE_STORAGE_STORE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "storage/journal.h"
#include "storage/query.h"
#include "storage/read_patience.h"
#include "storage/read_view.h"
#include "storage/records.h"
#include "storage/transaction.h"

namespace toolgate::v1 {
class AuditEntry;
}  // namespace toolgate::v1

namespace toolgate::storage {

struct PackedAuditEntry;  // audit_chain.h

enum class CommitMode { kDurable, kDryRun };

// Thread-safe.
class Store {
 public:
  virtual ~Store() = default;

  // Runs `body` on a snapshot. Returns body's status, or the store's if there was no snapshot. Snapshots are few, so
  // `body` must wait for nothing but the store.
  virtual absl::Status Read(std::string_view workspace_id, const ReadPatience& patience,
                            absl::FunctionRef<absl::Status(ReadView&)> body) = 0;
  // Waits for a snapshot without a limit.
  absl::Status Read(std::string_view workspace_id, absl::FunctionRef<absl::Status(ReadView&)> body) {
    return Read(workspace_id, ReadPatience(), body);
  }

  // Runs `body` in a transaction and, if it returns OK, commits durably before returning (kDurable) or rolls everything
  // back (kDryRun). If body fails nothing is kept and its status is returned. `body` may run on another thread, and
  // more than once if the backend must retry; it must not access the store otherwise. It does not run at all once
  // `cancellation` says stop, and from then on accesses to its transaction fail; other callers' bodies in the same
  // commit continue.
  virtual absl::Status Commit(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                              absl::FunctionRef<absl::Status(Transaction&)> body) = 0;

  // Appends to the chains of the entries' workspaces and returns when they are durable.
  absl::Status AppendAudit(const std::vector<v1::AuditEntry>& entries);
  // The same for entries that PackAuditEntry has packed.
  virtual absl::Status AppendPackedAudit(const std::vector<PackedAuditEntry>& entries) = 0;
  // Newest first, with sequence and hashes filled in.
  virtual absl::StatusOr<std::vector<v1::AuditEntry>> SearchAudit(std::string_view workspace_id,
                                                                  const ReadPatience& patience,
                                                                  const AuditQuery& query) = 0;
  // NOT_FOUND (ToolError) if there is none.
  virtual absl::StatusOr<v1::AuditEntry> GetAudit(std::string_view workspace_id, const ReadPatience& patience,
                                                  std::string_view entry_id) = 0;
  virtual absl::StatusOr<ChainReport> VerifyChain(std::string_view workspace_id, const ReadPatience& patience) = 0;
  // Drops entries older than `before`, in one of many steps of limited size, leaving the chains verifiable from their
  // anchors. The first step begins at `from` 0, each later one where the previous one ended. Skips a log that cannot be
  // read.
  virtual absl::StatusOr<AuditTrim> TrimAudit(absl::Time before, int64_t from) = 0;

  // Claims of all workspaces behind `after`, ordered by workspace and id; at most `limit`.
  virtual absl::StatusOr<std::vector<OpenClaim>> ListClaims(const ClaimPlace& after, int64_t limit) = 0;

  // The named secret, created from `fresh` by the first process that requests it: the key of confirmation tokens.
  virtual absl::StatusOr<std::string> GetOrCreateSecret(std::string_view name, std::string_view fresh) = 0;

  // Writes a consistent copy to the new file `path` while serving; if it fails, there is no file. UNIMPLEMENTED if the
  // backend has its own tools for this.
  virtual absl::Status Backup(const std::string& path, const fibers::Cancellation& cancellation) = 0;

  // OK while the store can serve.
  virtual absl::Status CheckHealth() = 0;

  // Whether other processes may use it at the same time.
  virtual bool IsShared() const = 0;
  // Whether a read may wait for something outside of this process, such as a server. Then none may run on a thread that
  // must not wait.
  virtual bool ReadsMayWait() const = 0;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_STORE_H_
