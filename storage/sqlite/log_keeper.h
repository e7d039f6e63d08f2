// Keeps the write-ahead log short, however many readers overlap.
//
// SQLite begins the log anew at a commit that finds all of it copied to the database and no snapshot that still reads
// from it. Under steady load there is no such moment by itself, and the log would grow for as long as the load lasts.
// Beyond a limit, the keeper makes one, in three steps:
//
//   1. While everything goes on: wait until the snapshots of this moment have ended, so that none of those that follow
//      needs the older part of the log; copy the log.
//   2. In the turn of a mutation, so that nothing is committed meanwhile: wait until the present snapshots have ended
//      once more, copy the rest. What was committed during step 1 is little, and so this is brief.
//   3. Snapshots that began meanwhile still read from the log: wait for their end. Later ones read the database alone,
//      and the next commit begins the log anew.
//
// No read waits for any of this; only mutations wait, for the rest of the reads that have begun before them. A read
// that lasts makes the keeper put the rest off. When the log has grown half as long again as its limit, the keeper no
// longer does that, and revokes the snapshots in its way (Connection::Revoke).
#ifndef TOOLGATE_STORAGE_SQLITE_LOG_KEEPER_H_
#define TOOLGATE_STORAGE_SQLITE_LOG_KEEPER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/reader_pool.h"
#include "storage/sqlite/write_queue.h"
#include "storage/sqlite/writer.h"

namespace toolgate::storage::sqlite {

// Thread-safe, but for Keep. Borrows everything but the connection.
class LogKeeper {
 public:
  struct Kept {
    bool emptied = false;                 // False: the log is short, or a read lasts and the rest is put off.
    std::optional<absl::Duration> pause;  // For which mutations waited, if they did.
    size_t revoked = 0;                   // Snapshots that were taken away.
  };

  // `path`: of the database. `limit`: size of the log in bytes, from which it is emptied.
  LogKeeper(std::string path, int64_t limit, const Clock& clock, std::unique_ptr<Connection> connection, Writer& writer,
            WriteQueue& queue, ReaderPool& readers);

  // Copies what no present snapshot prevents, and waits for no one.
  absl::Status Copy();
  // Empties the log if it is beyond its limit, and reports in `kept`. Called by one thread at a time, which waits.
  absl::Status Keep(Kept& kept);
  // Whether the log is beyond its limit.
  bool IsLong() const;
  // For the leader of the write queue, after a commit: waits if the log is twice as long as it should be and is being
  // copied, so that it does not grow faster than the disk takes it.
  void AwaitRoom();
  // Size of the log's file.
  int64_t Bytes() const;

 private:
  enum class Patience { kPutOff, kInsist };

  // Copies, and returns the number of pages that are left.
  absl::StatusOr<int64_t> CopyRest();
  absl::Status CopyMost();
  absl::Status Empty(Patience patience, Kept& kept);
  // Replaces all snapshots by later ones. False if one lasts.
  bool Turn(absl::Duration at_most, Patience patience, Kept& kept);

  const std::string log_path_;
  const int64_t limit_pages_;
  const Clock& clock_;
  Writer& writer_;
  WriteQueue& queue_;
  ReaderPool& readers_;
  std::atomic<uint64_t> emptied_at_{0};  // Number of commits when the log was last emptied.
  absl::Mutex copied_mutex_;
  std::atomic<bool> copying_{false};  // Set to false under the lock.
  absl::Mutex mutex_;
  const std::unique_ptr<Connection> connection_ ABSL_PT_GUARDED_BY(mutex_);
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_LOG_KEEPER_H_
