// Gathers the frames that one connection appends to SQLite's write-ahead log, so that a transaction's many small writes
// become few.
//
// SQLite writes each frame with two calls: 24 bytes of header, then the page. What is held back here is only ever a run
// of whole frames that do not end a transaction, and perhaps the header of the next one. The page of a frame whose
// header has the commit mark is written at once, in one call with all that is held. So once the call that completes a
// transaction in the log has answered, nothing of that transaction is held. wal_vfs.h says why that is enough.
//
// Held is what is known for certain: while the connection has the log's write lock, a header where a frame begins and
// where the last write ended, and right after it a page of the log's page size. Any other write (the log's own header,
// a frame that is written a second time, the parts of one that is split at a sector) first writes what is held and then
// goes on as it came, as does everything for as long as the page size is unknown.
#ifndef TOOLGATE_STORAGE_SQLITE_FRAME_GATHERER_H_
#define TOOLGATE_STORAGE_SQLITE_FRAME_GATHERER_H_

#include <sqlite3.h>

#include <cstddef>
#include <memory>
#include <new>

namespace toolgate::storage::sqlite {

// Stands before one open log file, which it borrows. Answers SQLite's result codes. Used by one thread at a time.
//
// Errors: bytes that were accepted are held until they are written, so a write of them that fails is tried again by the
// next call that needs them in the file, and that call fails if it fails again. The bytes of a call that fails are not
// accepted. Nothing is ever written out of order.
class FrameGatherer {
 public:
  // Of one write. SQLite's own writes have 64 KiB at most, and its VFS for Unix fails at 128 KiB.
  static constexpr int kCapacity = 64 * 1024;

  explicit FrameGatherer(sqlite3_file& log) : log_(log), held_(new (std::nothrow) char[kCapacity]) {}

  int Write(const void* bytes, int count, sqlite3_int64 offset);
  int Read(void* bytes, int count, sqlite3_int64 offset);
  // Writes what is held: before anything else is asked of the log.
  int Flush();

  // The connection has the log's write lock from now on.
  void BeginTransaction() { locked_ = true; }
  // It is about to give it back. What is still held belongs to a transaction that was taken back, and is forgotten:
  // written later, it might overwrite frames of somebody else who has the lock then.
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
  sqlite3_int64 start_ = 0;   // Where what is held belongs,
  int size_ = 0;              // and how much it is.
  sqlite3_int64 end_ = -1;    // Where the last write ended, held or not; -1 after one that failed.
  bool header_last_ = false;  // What is held ends with a header, whose page comes next.
  bool commits_ = false;      // And that header has the commit mark.
  bool locked_ = false;
  int page_size_ = 0;  // 0: not known yet, or such that a frame does not fit.
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_FRAME_GATHERER_H_
