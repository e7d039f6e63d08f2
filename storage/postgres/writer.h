// Transactions that are kept.
#ifndef TOOLGATE_STORAGE_POSTGRES_WRITER_H_
#define TOOLGATE_STORAGE_POSTGRES_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "storage/audit_chain.h"
#include "storage/declared_fields.h"
#include "storage/postgres/pool.h"
#include "storage/postgres/session.h"
#include "storage/postgres/workspace_keys.h"
#include "storage/postgres/write_queue.h"

namespace toolgate::storage::postgres {

// A transaction that fails for a reason which may pass is run again, a few times, with growing pauses. When the
// connection is lost after COMMIT was sent, the server is asked what became of the transaction. Thread-safe.
class Writer {
 public:
  Writer(Pool& pool, WorkspaceKeys& keys, const DeclaredFields& fields, const Timeouts& timeouts)
      : pool_(pool), keys_(keys), fields_(fields), timeouts_(timeouts) {}

  // Runs the jobs of one workspace in one transaction, each on a savepoint, under the workspace's lock, which all
  // replicas take. If a statement fails in it, each job gets a transaction of its own. Returns how many were done: all,
  // or only the first if its call ended before the transaction had begun.
  size_t RunBatch(std::string_view workspace_id, WriteQueue::Jobs jobs);

  // Runs `body` in a transaction of its own, perhaps several times.
  using Body = absl::FunctionRef<absl::Status(Connection&)>;
  absl::Status Run(Body body);

  // Appends to the chains of these workspaces' keys, in their order, in one transaction.
  absl::Status AppendAudit(const std::vector<PackedAuditEntry>& entries);

 private:
  enum class Outcome { kDone, kAgain, kSplit, kFirstLeft };

  Outcome RunOnce(std::string_view workspace_id, WriteQueue::Jobs jobs, absl::Status& failure);
  Outcome RunJobs(Connection& connection, std::string_view workspace_id, int64_t workspace, WriteQueue::Jobs jobs,
                  int64_t& xid, std::vector<PackedAuditEntry>& audit, bool& has_written, absl::Status& failure);
  absl::Status RunJob(Connection& connection, int64_t workspace, WriteJob& job, bool on_savepoint,
                      std::vector<PackedAuditEntry>& audit, bool& has_written, absl::Status& failure);
  // `lock`: 0: none.
  absl::Status Begin(Connection& connection, int64_t lock, int64_t* xid, const fibers::Cancellation* call);
  // OK when it is committed; else the reason. `is_known`: false if the connection was lost meanwhile.
  // Leaves a mark of its own in the transaction.
  absl::Status Commit(Connection& connection, int64_t& xid, std::string& mark, bool& is_known);
  // Asks what became of a transaction: OK if it is committed, ABORTED if not. After a crash or a failover, the server
  // may give its number to another transaction: so once that has ended, the mark decides.
  absl::Status Resolve(int64_t xid, const std::string& mark);
  absl::Status RunBodyOnce(Body body);
  // Between two attempts.
  void Pause(int attempt);

  Pool& pool_;
  WorkspaceKeys& keys_;
  const DeclaredFields& fields_;
  const Timeouts timeouts_;
};

// Number of the lock that serialises the writes to a workspace.
int64_t LockOf(std::string_view workspace_id);

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_WRITER_H_
