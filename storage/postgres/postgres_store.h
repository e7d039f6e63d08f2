// The store in a PostgreSQL database, which any number of processes use at the same time.
//
// Reads run on a snapshot (REPEATABLE READ) that begins with their first query. Writes to one workspace follow each
// other, in all processes, under an advisory lock; those to different workspaces run side by side. docs/storage.md and
// docs/adr/0037 have the reasons.
#ifndef TOOLGATE_STORAGE_POSTGRES_POSTGRES_STORE_H_
#define TOOLGATE_STORAGE_POSTGRES_POSTGRES_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "storage/backend.h"
#include "storage/postgres/pool.h"
#include "storage/postgres/session.h"
#include "storage/postgres/workspace_keys.h"
#include "storage/postgres/write_queue.h"
#include "storage/postgres/writer.h"
#include "storage/store_observer.h"

namespace toolgate::storage::postgres {

// Thread-safe.
class PostgresStore final : public Backend {
 public:
  struct Options {
    Connection::Options connection;
    size_t pool_size = 0;  // Connections; two at least.
    size_t max_batch = 0;  // The most mutations in one commit; one at least.
    Timeouts timeouts = {};
    fairness::Shares read_shares = {};    // Of the connections for reads.
    const Clock* clock = &Clock::Real();  // Borrowed, like the next.
    StoreObserver* observer = nullptr;
    DeclaredFields fields = {};  // Of the types of blocks. If the database's index has others, it is built anew.
    // Called when the background thread cannot do its work, and not again until it has succeeded.
    std::function<void(const absl::Status&)> on_maintenance_failed = nullptr;
    bool background = true;  // False: no maintenance but by Maintain(). For tests.
  };

  // Migrates an older database. UNAVAILABLE, naming the place and what to do, if the server cannot be used;
  // FAILED_PRECONDITION if it is too old, or the database is a newer or another program's; INVALID_ARGUMENT without
  // what is required.
  static absl::StatusOr<std::unique_ptr<PostgresStore>> Create(Options options);
  ~PostgresStore() override;

  absl::Status Read(std::string_view workspace_id, const ReadPatience& patience,
                    absl::FunctionRef<absl::Status(Rows&)> body) override;
  absl::Status Commit(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(Rows&)> body) override;
  absl::Status AppendPackedAudit(const std::vector<PackedAuditEntry>& entries) override;
  absl::StatusOr<std::vector<v1::AuditEntry>> SearchAudit(std::string_view workspace_id, const ReadPatience& patience,
                                                          const AuditQuery& query) override;
  absl::StatusOr<std::optional<v1::AuditEntry>> FindAudit(std::string_view workspace_id, const ReadPatience& patience,
                                                          std::string_view entry_id) override;
  absl::StatusOr<ChainReport> VerifyChain(std::string_view workspace_id, const ReadPatience& patience) override;
  absl::StatusOr<AuditTrim> TrimAudit(absl::Time before, int64_t from) override;
  absl::StatusOr<std::vector<OpenClaim>> ListClaims(const ClaimPlace& after, int64_t limit) override;
  absl::StatusOr<std::string> GetOrCreateSecret(std::string_view name, std::string_view fresh) override;
  // UNIMPLEMENTED: pg_dump and the server's own backups do this.
  absl::Status Backup(const std::string& path, const fibers::Cancellation& cancellation) override;
  absl::Status CheckHealth() override;
  bool IsShared() const override { return true; }
  bool ReadsMayWait() const override { return true; }

  // All work of the background thread, until nothing is left.
  absl::Status Maintain();

 private:
  PostgresStore(Options options, std::unique_ptr<Pool> pool);

  using ReadBody = absl::FunctionRef<absl::Status(Session&)>;
  absl::Status WithSnapshot(std::string_view workspace_id, const ReadPatience& patience, ReadBody body);
  absl::Status Rehearse(const WriteContext& context, const fibers::Cancellation& cancellation,
                        absl::FunctionRef<absl::Status(Rows&)> body);
  absl::Status RehearseOnce(const WriteContext& context, const fibers::Cancellation& cancellation,
                            absl::FunctionRef<absl::Status(Rows&)> body, bool& may_repeat);
  size_t RunBatch(std::string_view workspace_id, WriteQueue::Jobs jobs);
  absl::StatusOr<int64_t> TrimWorkspace(int64_t workspace, absl::Time before, int64_t limit);

  // ---- Upkeep (upkeep.cc) ----
  // Has the index over declared fields built anew if it is that of other fields.
  absl::Status PrepareFields();
  // One round; each returns whether there may be more to do.
  absl::StatusOr<bool> Sweep();
  // Of the workspaces that this process has written to; `of_all`: or any other.
  absl::StatusOr<bool> IndexAudit(bool of_all);
  absl::StatusOr<std::vector<int64_t>> ListUnindexed(bool of_all);
  // Reads a part of a workspace's terms into their index. Returns whether there may be more.
  absl::StatusOr<bool> IndexAuditOf(int64_t workspace);
  void NoteAudit(std::string_view workspace_id) ABSL_LOCKS_EXCLUDED(maintenance_mutex_);
  absl::StatusOr<bool> IndexFields();
  absl::Status IndexFieldsIn(Connection& connection, bool& has_more);
  absl::Status CountConfirmations();
  void RunMaintenance();
  absl::Status Tidy();

  const Options options_;
  const std::unique_ptr<Pool> pool_;
  WorkspaceKeys keys_;
  Writer writer_;
  WriteQueue queue_;
  absl::Duration swept_ = -absl::InfiniteDuration();  // Used only by the background thread, like the next two.
  absl::Duration counted_ = -absl::InfiniteDuration();
  absl::Duration scanned_ = -absl::InfiniteDuration();
  absl::Mutex maintenance_mutex_;
  absl::flat_hash_set<std::string> audited_ ABSL_GUARDED_BY(maintenance_mutex_);  // Workspaces; at most 10,000.
  bool stopping_ ABSL_GUARDED_BY(maintenance_mutex_) = false;
  std::thread maintenance_thread_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_POSTGRES_STORE_H_
