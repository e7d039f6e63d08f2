// A VFS for the connection that writes: it gathers the frames that SQLite appends to the write-ahead log, two small
// writes a frame, into few large writes. How it tells frames from other writes is in frame_gatherer.h.
//
// Everything else goes straight to the base VFS. Why nobody can tell the difference:
//
// **Other connections.** They read a frame only when the header of the wal-index (the shared memory beside the log)
// counts it. SQLite moves that header past the frames of a transaction in one step, after it has written the last of
// them, the one whose header has the commit mark. That write is when everything held is written, and when it fails
// SQLite does not get to the wal-index. So a frame that is held is never counted, at any setting of `synchronous`: the
// sync that may follow finds nothing to write. A transaction that outgrows its cache writes frames earlier, but they
// are not counted before the commit either, and the others skip what the index says of frames that are not counted. Its
// own connection does read them back; a read of what is held writes it first.
//
// **Other writers.** Nothing is held but under the log's write lock, and what is still held when the lock is given back
// is forgotten. By then a transaction that was committed has nothing left to forget, and the frames of one that was
// taken back are nobody's. A connection in exclusive locking mode takes no such lock, and its writes go on as they
// came.
//
// **A log begun anew** starts with a header of its own that has other salts. It is written and synced at once, as
// SQLite asks; the old frames behind it do not match them, so the log is empty until the first frames follow.
//
// **Checkpoints** copy frames that the wal-index counts, so none that are held. Syncing, truncating and measuring the
// log all write what is held first.
//
// **A failing disk.** A call's bytes are accepted or refused as a whole (see FrameGatherer). What SQLite takes for
// written is tried again by the next call that needs it in the file, and the commit is one that does; so an error is
// answered before anything is acknowledged. What a failed write left in the file is a part of a transaction, which
// SQLite tells from a whole one by checksums that run over all frames up to the commit mark. A write or a sync that
// failed after all of it got there leaves a whole one, with this layer as without; Writer sees to that.
//
// **A killed process** leaves the file as it was after one of SQLite's own writes, or as it is after a part of several
// of them: the first frames of a transaction, the last perhaps torn. Both are what a kill without this layer leaves.
// After a power cut, the file system may have kept any of the writes since the last sync, with this layer as without.
//
// What the argument rests on: the commit mark (SQLite's file format), the write lock's number (the documented format of
// the wal-index), and that SQLite counts frames after writing them, which its own crash safety rests on as well.
#ifndef TOOLGATE_STORAGE_SQLITE_WAL_VFS_H_
#define TOOLGATE_STORAGE_SQLITE_WAL_VFS_H_

#include <sqlite3.h>

#include <memory>

#include "absl/status/statusor.h"
#include "storage/sqlite/vfs_layer.h"

namespace toolgate::storage::sqlite {

// Open a connection through it by its name(), and close the connection before it goes. One may serve several
// connections, on threads of their own.
class WalVfs final : public VfsLayer {
 public:
  // On the base VFS of that name, or SQLite's default one; borrowed. INTERNAL when there is none of that name.
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
