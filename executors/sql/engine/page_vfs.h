#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_PAGE_VFS_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_PAGE_VFS_H_

#include <sqlite3.h>

#include <string>

#include "absl/time/time.h"
#include "executors/sql/engine/page_file.h"

namespace toolgate::executors::sql::engine {

// Operating system that SQLite sees while it works on one PageFile, the only file there. No other file can be opened,
// nothing is locked or synced, and the time is the call's. Temporary files, which sorting and large intermediate
// results need, are allocated by SQLite's allocator, so that a SqliteBudget limits them.
//
// Registered with SQLite for its lifetime, under a name of its own. Used by one thread.
class PageVfs {
 public:
  // `file` must outlive it. `now` is the current time for SQL functions.
  PageVfs(PageFile& file, absl::Time now);
  PageVfs(const PageVfs&) = delete;
  PageVfs& operator=(const PageVfs&) = delete;
  ~PageVfs();

  // For sqlite3_open_v2, whose file name must be kFileName.
  const char* name() const { return name_.c_str(); }
  static constexpr char kFileName[] = "private";

  PageFile& file() { return file_; }
  absl::Time now() const { return now_; }

 private:
  PageFile& file_;
  const absl::Time now_;
  const std::string name_;
  sqlite3_vfs vfs_;
};

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_PAGE_VFS_H_
