// The one connection that writes, and what it remembers between transactions.
#ifndef TOOLGATE_STORAGE_SQLITE_WRITER_H_
#define TOOLGATE_STORAGE_SQLITE_WRITER_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/audit_chain.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/write_queue.h"

namespace toolgate::storage::sqlite {

// Used by one thread at a time: the leader of the write queue. Counters may be read by any.
class Writer {
 public:
  explicit Writer(std::unique_ptr<Connection> connection);

  // Reads what must be known before the first write.
  absl::Status Start();

  // Runs the jobs in one transaction, each on its own savepoint, and makes them durable with one commit.
  void RunBatch(absl::Span<WriteJob* const> jobs);

  Connection& connection() { return *connection_; }

  // For bodies: call before the first change, so that the job can be taken back on its own.
  absl::Status BeforeChange();
  // The workspace's key; 0 when there is none and `create` is false. Creating counts as a change.
  absl::StatusOr<int64_t> WorkspaceKey(std::string_view id, bool create);
  // A row number for a block that was never used before.
  int64_t NextBlockRow() { return ++last_block_row_; }
  // The row up to which search has read, as of the last look; rows above need no note.
  int64_t indexed_row() const { return indexed_row_; }
  // Reads changed blocks into the search index.
  absl::StatusOr<int64_t> CatchUpSearch(int64_t limit);
  // Chains the entries when the batch commits, unless the job fails.
  void AddAudit(std::vector<PackedAuditEntry> entries);

  // Grows with every commit that changed something, before its callers are answered.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  // Pages in the write-ahead log after the last commit.
  int64_t log_pages() const { return log_pages_.load(std::memory_order_relaxed); }
  // The last commit failed for a reason that is the machine's.
  bool broken() const { return broken_.load(std::memory_order_relaxed); }
  uint64_t batches() const { return batches_.load(std::memory_order_relaxed); }

 private:
  // False when SQLite took back the whole transaction in the middle of it, so that nothing of it is kept.
  bool RunTransaction(absl::Span<WriteJob* const> jobs);
  void RunJob(WriteJob& job);
  absl::Status TakeJobAudit();
  absl::Status EndJob(bool keep);
  absl::Status FlushAudit();
  absl::Status Commit();
  void Abandon(absl::Span<WriteJob* const> jobs, const absl::Status& status);
  absl::Status Reload();

  const std::unique_ptr<Connection> connection_;
  absl::flat_hash_map<std::string, int64_t> workspace_keys_;
  absl::flat_hash_map<int64_t, ChainLink> chain_heads_;
  std::map<int64_t, std::vector<PackedAuditEntry>> batch_audit_;  // By workspace.
  std::vector<PackedAuditEntry> job_audit_;
  int64_t last_block_row_ = 0;
  int64_t indexed_row_ = 0;
  bool savepoint_open_ = false;
  bool job_made_workspace_ = false;
  bool job_moved_index_ = false;
  std::atomic<uint64_t> generation_{1};
  std::atomic<uint64_t> batches_{0};
  std::atomic<int64_t> log_pages_{0};
  std::atomic<bool> broken_{false};
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_WRITER_H_
