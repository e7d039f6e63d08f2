// A disk that fails when a test says so.
#ifndef TOOLGATE_TESTS_SUPPORT_FAULTY_VFS_H_
#define TOOLGATE_TESTS_SUPPORT_FAULTY_VFS_H_

#include <sqlite3.h>

#include <cstdint>

namespace toolgate::testing {

// Stands between SQLite and its default VFS as the new default, for as long as it lives, and fails one of the
// operations that change files: write, sync, truncate and delete, counted together from Arm on, over all files.
// Nothing is really synced, for speed: what a killed process leaves behind is all in the files anyway.
// Connections must be opened after it was made and closed before it goes. One at a time. Not thread-safe: Arm and the
// operations it counts belong to one thread.
class FaultyVfs {
 public:
  enum class Fault {
    kIoError,  // Nothing happens, and SQLITE_IOERR_… is the answer.
    kFull,     // A write does nothing and answers SQLITE_FULL; others answer as with kIoError.
    kTorn,  // A write leaves the first half of its bytes; a sync, truncation or deletion happens; all answer an error.
  };
  enum class Lasting {
    kOnce,     // The operations after the one that failed work again.
    kForGood,  // They fail too, until Disarm.
  };

  FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;
  ~FaultyVfs();

  // The `nth` operation from now on fails, the first being 1.
  void Arm(int64_t nth, Fault fault, Lasting lasting);
  // Everything works again. The count stays as it is.
  void Disarm() { armed_ = false; }
  // How many operations there were since Arm, those that failed included.
  int64_t operations() const { return operations_; }

  // Whether the last operation that failed was a sync.
  bool failed_sync() const { return failed_sync_; }

  // For the file methods: whether the operation that is about to run must fail.
  bool Next(bool is_sync = false);
  Fault fault() const { return fault_; }
  sqlite3_vfs& real() const { return *real_; }

 private:
  sqlite3_vfs* const real_;
  sqlite3_vfs vfs_;
  bool armed_ = false;
  int64_t operations_ = 0;
  int64_t nth_ = 0;
  bool failed_sync_ = false;
  Fault fault_ = Fault::kIoError;
  Lasting lasting_ = Lasting::kOnce;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_FAULTY_VFS_H_
