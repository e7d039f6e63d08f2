// A VFS for a connection that tries changes which are never kept, beside the one that writes.
//
// SQLite has one writer. Here a second connection believes to be it: its wal-index (the shared memory beside the
// write-ahead log, which says what is committed and who reads or writes) is a private copy, in which it finds no other
// writer and takes every lock. Its transaction begins with all that was committed when the copy was made, and lives in
// its page cache alone. It must be rolled back: neither the database nor the log can be written through this VFS.
//
// Why what it reads is right:
//
// **The log keeps its frames.** While another connection has a snapshot that is not newer than the copy, the log is not
// begun anew, and no checkpoint copies a frame beyond that snapshot to the database. So the user of this holds such a
// snapshot for as long as a transaction lasts (Rehearsals does). Frames that others append meanwhile are beyond the
// copied header's count, and SQLite ignores entries of the wal-index for these.
//
// **The copy is whole.** Its header is copied until two copies in a row are the same, with the number of frames that
// are in the database already; the rest afterwards: entries of frames that the header counts never change.
//
// The argument relies on the documented format of the wal-index (https://www.sqlite.org/walformat.html).
#ifndef TOOLGATE_STORAGE_SQLITE_SHADOW_VFS_H_
#define TOOLGATE_STORAGE_SQLITE_SHADOW_VFS_H_

#include <sqlite3.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/sqlite/vfs_layer.h"

namespace toolgate::storage::sqlite {

// Open a connection through it by its name(), for a database in WAL mode that another connection of this process has
// open; close the connection before its destruction. One may serve several connections, on different threads.
class ShadowVfs final : public VfsLayer {
 public:
  // Uses the base VFS of that name, or SQLite's default one; borrowed. INTERNAL if there is none of that name.
  static absl::StatusOr<std::unique_ptr<ShadowVfs>> Create(const char* base_name = nullptr);

  // Takes over what is committed by now. `db` was opened through a ShadowVfs, and is in no transaction.
  static absl::Status Refresh(sqlite3* db);

 protected:
  int Open(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) override;

 private:
  explicit ShadowVfs(sqlite3_vfs& base);
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SHADOW_VFS_H_
