// Gathers the frames that one connection appends to SQLite's write-ahead log, so that a transaction's many small writes
// become few.
//
// SQLite writes each frame with two calls: 24 bytes of header, then the page. Only whole consecutive frames that do not
// end a transaction are held back here, and perhaps the header of the next one. The page of a frame whose header has
// the commit mark is written at once, in one call with all that is held. So once the call that completes a transaction
// in the log has returned, nothing of that transaction is held. wal_vfs.h explains why that is enough.
//
// Writes are held only if they are certainly frames: while the connection has the log's write lock, a header at the
// start of a frame and at the end of the last write, and right after it a page of the log's page size. Any other write
// (the log's own header, a frame that is written again, the parts of one that is split at a sector) first writes the
// held bytes and is then passed on unchanged, as is everything while the page size is unknown.
#ifndef TOOLGATE_STORAGE_SQLITE_FRAME_GATHERER_H_
#define TOOLGATE_STORAGE_SQLITE_FRAME_GATHERER_H_

#include <sqlite3.h>

#include <cstddef>
#include <memory>
#include <new>

namespace toolgate::storage::sqlite {

// Works on one open log file, which it borrows. Returns SQLite's result codes. Used by one thread at a time.
//
// Errors: bytes that were accepted are held until they are written, so if writing them fails, the next call that needs
// them in the file tries again, and fails if that fails. The bytes of a failed call are not accepted. Nothing is ever
// written out of order.
class FrameGatherer {
 public:
  // Of one write. SQLite's own writes have at most 64 KiB, and its VFS for Unix fails at 128 KiB.
  static constexpr int kCapacity = 64 * 1024;

  explicit FrameGatherer(sqlite3_file& log) : log_(log), held_(new (std::nothrow) char[kCapacity]) {}

  int Write(const void* bytes, int count, sqlite3_int64 offset);
  int Read(void* bytes, int count, sqlite3_int64 offset);
  // Writes the held bytes: before any other access to the log.
  int Flush();

  // The connection has the log's write lock from now on.
  void BeginTransaction() { locked_ = true; }
  // The connection is about to release it. Bytes that are still held belong to a rolled-back transaction, and are
  // discarded: written later, they might overwrite frames of the next owner of the lock.
  void EndTransaction();

 private:
  bool IsFrameHeader(int count, sqlite3_int64 offset) const;
  int HoldHeader(const unsigned char* header, sqlite3_int64 offset);
  int HoldOrWritePage(const void* page, sqlite3_int64 offset);
  int WriteThrough(const void* bytes, int count, sqlite3_int64 offset);
  void Hold(const void* bytes, int count, sqlite3_int64 offset);
  void MaybeLearnPageSize(const void* bytes, int count, sqlite3_int64 offset);

  sqlite3_file& log_;
  const std::unique_ptr<char[]> held_;
  sqlite3_int64 start_ = 0;   // Offset of the held bytes,
  int size_ = 0;              // and their number.
  sqlite3_int64 end_ = -1;    // End of the last write, held or not; -1 after a failed one.
  bool header_last_ = false;  // The held bytes end with a header, whose page comes next.
  bool commits_ = false;      // And that header has the commit mark.
  bool locked_ = false;
  int page_size_ = 0;  // 0: not known yet, or so large that a frame does not fit.
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_FRAME_GATHERER_H_
