#ifndef TOOLGATE_EXECUTORS_SQL_PAGE_VFS_H_
#define TOOLGATE_EXECUTORS_SQL_PAGE_VFS_H_

#include <sqlite3.h>

#include <string>

#include "absl/time/time.h"
#include "executors/sql/page_file.h"

namespace toolgate::executors::sql {

// What SQLite takes for the operating system while it works on one PageFile: that file is all there is. No other one
// can be opened, nothing is locked or synced, and the time is the call's. Temporary files, which sorting and large
// intermediate results need, are memory that SQLite's allocator gives, so that a SqliteBudget bounds them.
//
// Known to SQLite from its making to its end, under a name of its own. Used by one thread.
class PageVfs {
 public:
  // `file` outlives it. `now` is what SQL's functions call now.
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

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_PAGE_VFS_H_
