// The embedded store: one SQLite file used by this process alone.
//
// Mutations of concurrent callers share a transaction and a durable commit (WAL, synchronous=FULL). Readers keep their
// snapshot while nothing is committed. One thread of the store maintains the indexes and expired records, another the
// write-ahead log (log_keeper.h).
#ifndef TOOLGATE_STORAGE_SQLITE_SQLITE_STORE_H_
#define TOOLGATE_STORAGE_SQLITE_SQLITE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "storage/backend.h"
#include "storage/data_directory.h"
#include "storage/sqlite/log_keeper.h"
#include "storage/sqlite/reader_pool.h"
#include "storage/sqlite/rehearsals.h"
#include "storage/sqlite/search_index.h"
#include "storage/sqlite/sqlite_rows.h"
#include "storage/sqlite/write_queue.h"
#include "storage/sqlite/writer.h"
#include "storage/store_observer.h"

namespace toolgate::storage::sqlite {

// Thread-safe.
class SqliteStore final : public Backend {
 public:
  struct Options {
    std::string data_dir;  // Made when absent, with mode 0700. Holds toolgate.db and toolgate.lock.
    // These three are required: the most mutations in one commit, readers for reads that may wait, and each
    // connection's page cache.
    size_t max_batch = 0;
    size_t readers = 0;
    int cache_kib = 0;
    fairness::Shares reader_shares = {};    // Of the readers; without them, callers that wait are served in turn.
    int64_t log_limit = int64_t{64} << 20;  // Size of the write-ahead log in bytes, from which it is emptied.
    const Clock* clock = &Clock::Real();    // Borrowed, like the next.
    StoreObserver* observer = nullptr;
    DeclaredFields fields = {};  // Of the types of blocks. If the file's index has others, it is built anew.
    // Called when the background thread cannot do its work, and not again until it has succeeded.
    std::function<void(const absl::Status&)> on_maintenance_failed = nullptr;
    bool background = true;  // False: no maintenance but by Maintain(). For tests.
    int64_t max_pages = 0;   // Of the database file; 0: no bound. For tests of a full disk.
  };

  // Opens the store, migrating an older one. UNAVAILABLE, naming the path and what to do, when the directory cannot be
  // used or another process has it; FAILED_PRECONDITION when the database is a newer program's; INVALID_ARGUMENT
  // without what is required.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Create(const Options& options);
  ~SqliteStore() override;

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
  absl::Status Backup(const std::string& path, const fibers::Cancellation& cancellation) override;
  absl::Status CheckHealth() override;
  // A lock keeps all other processes from the data directory.
  bool IsShared() const override { return false; }
  bool ReadsMayWait() const override { return false; }

  // All work of the background thread: reads changes into the search index and older blocks into that over fields,
  // deletes expired records, empties the write-ahead log.
  absl::Status Maintain();
  // One round of the background thread, which makes one every quarter of a second: does everything that is due, even if
  // parts of it fail, and returns the first failure. Called by one thread at a time.
  absl::Status Tidy();
  // Number of durable commits.
  uint64_t commits() const { return writer_.batches(); }

 private:
  friend class SnapshotRows;

  SqliteStore(const Options& options, DataDirectory directory, std::unique_ptr<Connection> writer,
              std::unique_ptr<Connection> checkpointer);

  // The workspace's key, after the reader got a snapshot of everything that is committed.
  absl::StatusOr<int64_t> Refresh(Reader& reader, std::string_view workspace_id);
  absl::Status WithReader(std::string_view workspace_id, const ReadPatience& patience,
                          absl::FunctionRef<absl::Status(BorrowedReader&, int64_t workspace)> body);
  absl::Status Write(absl::FunctionRef<absl::Status(Writer&)> body);
  void RunBatch(absl::Span<WriteJob* const> jobs);
  absl::Status CommitOnce(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                          SqliteTransactionRows::LongBacklog long_backlog, bool& gave_up,
                          absl::FunctionRef<absl::Status(Rows&)> body);
  // Reads the backlog into the search index, in steps, so that mutations do not wait long. `cancellation`, unless
  // nullptr, ends it between two steps.
  absl::Status CatchUpSearch(SearchBacklog backlog, const fibers::Cancellation* cancellation);
  // The same for everything that is committed.
  absl::Status CatchUpSearch(const fibers::Cancellation* cancellation);
  // Reads audit entries into the index over their terms.
  absl::Status IndexAudit();
  // Adds rows of older blocks to the index over declared fields, in at most `max_steps` steps.
  absl::Status IndexFields(int max_steps);
  // Deletes expired records, in at most `max_steps` steps. Returns whether there may be more.
  absl::StatusOr<bool> Sweep(int max_steps);
  absl::StatusOr<bool> SweepStep();
  // Empties the write-ahead log if it is too long. Returns false if that was put off.
  absl::StatusOr<bool> KeepLog();
  // Tells the observer how many confirmations are pending, if it is time.
  absl::Status CountConfirmations(absl::Duration now);
  absl::Status CopyTo(const std::string& path, const fibers::Cancellation& cancellation);
  // Time of the clock, if an observer needs durations.
  absl::Duration Stopwatch() const;
  void RunMaintenance();
  void RunLogKeeper();
  // Tells the operator of a failure after a success.
  void TellFailure(const absl::Status& status, bool& well);

  const Options options_;
  const std::string path_;
  const DataDirectory directory_;
  Writer writer_;
  WriteQueue queue_;
  ReaderPool readers_;
  Rehearsals rehearsals_;
  LogKeeper log_;
  bool has_fields_to_index_ = true;  // Used only by the background thread; perhaps not so.
  uint64_t tidied_batches_;          // Used only by Tidy, like the next three: number of batches then,
  absl::Duration indexed_;           // time of the last indexing,
  absl::Duration swept_;             // of the last sweep,
  absl::Duration counted_;           // and of the last count of confirmations.
  absl::Mutex maintenance_mutex_;
  bool stopping_ ABSL_GUARDED_BY(maintenance_mutex_) = false;
  bool log_is_long_ ABSL_GUARDED_BY(maintenance_mutex_) = false;
  std::thread maintenance_thread_;
  std::thread log_thread_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SQLITE_STORE_H_
