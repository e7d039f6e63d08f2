// A disk that fails on request.
#ifndef TOOLGATE_TESTS_SUPPORT_FAULTY_VFS_H_
#define TOOLGATE_TESTS_SUPPORT_FAULTY_VFS_H_

#include <sqlite3.h>

#include <cstdint>

namespace toolgate::testing {

// While it exists, it is the default VFS in front of SQLite's own, and fails one of the operations that change files:
// write, sync, truncate and delete, counted together from Arm on, over all files. Nothing is really synced, for speed:
// the files contain everything that a killed process leaves anyway. Connections must be opened after its construction
// and closed before its destruction. One at a time. Not thread-safe: Arm and the operations it counts belong to one
// thread.
class FaultyVfs {
 public:
  enum class Fault {
    kIoError,  // Has no effect, and returns SQLITE_IOERR_….
    kFull,     // A write has no effect and returns SQLITE_FULL; others fail as with kIoError.
    kTorn,  // A write leaves the first half of its bytes; a sync, truncation or deletion happens; all answer an error.
  };
  enum class Lasting {
    kOnce,     // The operations after the failed one work again.
    kForGood,  // Later ones fail too, until Disarm.
  };

  FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;
  ~FaultyVfs();

  // The `nth` operation from now on fails, the first being 1.
  void Arm(int64_t nth, Fault fault, Lasting lasting);
  // Everything works again. The count is kept.
  void Disarm() { armed_ = false; }
  // Number of operations since Arm, including failed ones.
  int64_t operations() const { return operations_; }

  // Whether the last failed operation was a sync.
  bool failed_sync() const { return failed_sync_; }

  // For the file methods: whether the next operation must fail.
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
