// A VFS for the connection that writes: it gathers the frames that SQLite appends to the write-ahead log, two small
// writes for each frame, into few large writes. frame_gatherer.h describes how it recognises frames.
//
// Everything else goes directly to the base VFS. Why the difference is invisible:
//
// **Other connections.** They read a frame only if the header of the wal-index (the shared memory beside the log)
// counts it. SQLite moves that header past the frames of a transaction in one step, after it has written the last of
// them, the one whose header has the commit mark. Everything held is written together with it, and if that fails SQLite
// does not update the wal-index. So a frame that is held is never counted, at any setting of `synchronous`: the sync
// that may follow finds nothing to write. A transaction that outgrows its cache writes frames earlier, but they are not
// counted before the commit either, and other connections ignore index entries of frames that are not counted. Its own
// connection does read them back; a read of held bytes writes them first.
//
// **Other writers.** Bytes are held only under the log's write lock, and discarded when it is released. By then a
// committed transaction has nothing left to discard, and the frames of a rolled-back one are not needed. A connection
// in exclusive locking mode takes no such lock, and its writes are passed on unchanged.
//
// **A restarted log** begins with a new header that has other salts. It is written and synced at once, as SQLite asks;
// the old frames after it do not match them, so the log is empty until the first frames follow.
//
// **Checkpoints** copy frames that the wal-index counts, so never held ones. Syncing, truncating and measuring the log
// all write held bytes first.
//
// **A failing disk.** A call's bytes are accepted or refused as a whole (see FrameGatherer). If bytes that SQLite
// believes written are still held, the next call that needs them in the file writes them, and the commit is such a
// call; so an error is reported before anything is acknowledged. A failed write leaves a part of a transaction in the
// file, which SQLite distinguishes from a whole one by checksums over all frames up to the commit mark. A write or a
// sync that failed after everything was written leaves a whole transaction, with or without this layer; Writer handles
// that.
//
// **A killed process** leaves the file as after one of SQLite's own writes, or as after a part of several of them: the
// first frames of a transaction, the last perhaps torn. Both can also happen without this layer. After a power cut, the
// file system may have kept any of the writes since the last sync, with this layer as without.
//
// The argument relies on the commit mark (SQLite's file format), the write lock's number (the documented format of the
// wal-index), and that SQLite counts frames after writing them, which its own crash safety rests on as well.
#ifndef TOOLGATE_STORAGE_SQLITE_WAL_VFS_H_
#define TOOLGATE_STORAGE_SQLITE_WAL_VFS_H_

#include <sqlite3.h>

#include <memory>

#include "absl/status/statusor.h"
#include "storage/sqlite/vfs_layer.h"

namespace toolgate::storage::sqlite {

// Open a connection through it by its name(), and close the connection before its destruction. One may serve several
// connections, on different threads.
class WalVfs final : public VfsLayer {
 public:
  // Uses the base VFS of that name, or SQLite's default one; borrowed. INTERNAL if there is none of that name.
  static absl::StatusOr<std::unique_ptr<WalVfs>> Create(const char* base_name = nullptr);

 protected:
  int Open(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) override;

 private:
  explicit WalVfs(sqlite3_vfs& base);
  int OpenDatabase(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags);
  int OpenLog(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags);
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_WAL_VFS_H_
