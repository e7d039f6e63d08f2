// A VFS that reports SQLite's file operations to a test.
#ifndef TOOLGATE_TESTS_SUPPORT_SPY_VFS_H_
#define TOOLGATE_TESTS_SUPPORT_SPY_VFS_H_

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "storage/sqlite/vfs_layer.h"

namespace toolgate::testing {

// In front of SQLite's default VFS under its own name(). Nothing is really synced, for speed: tests see the files as
// the kernel has them. Not thread-safe.
class SpyVfs final : public storage::sqlite::VfsLayer {
 public:
  struct Operation {
    enum class Kind { kWrite, kSync, kTruncate };
    Kind kind;
    bool is_log;  // The write-ahead log; otherwise the database.
    std::string path;
    int64_t offset;  // The new size, for a truncation.
    int64_t bytes;   // Written.
  };

  SpyVfs();

  // Called before each operation on a database or its log that changes them or makes them durable.
  void set_before(std::function<void(const Operation&)> before) { before_ = std::move(before); }
  // False: as a disk on which a power cut may destroy data next to a write. SQLite then pads its log to whole sectors.
  void set_powersafe_overwrite(bool powersafe) { powersafe_overwrite_ = powersafe; }

  // For the file methods.
  void Note(const Operation& operation) {
    if (before_) before_(operation);
  }
  bool powersafe_overwrite() const { return powersafe_overwrite_; }

 protected:
  int Open(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) override;

 private:
  std::function<void(const Operation&)> before_;
  bool powersafe_overwrite_ = true;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_SPY_VFS_H_
