#include "storage/sqlite/wal_vfs.h"

#include <algorithm>
#include <new>

#include "common/status_macros.h"
#include "storage/sqlite/frame_gatherer.h"

namespace toolgate::storage::sqlite {
namespace {

// Among the locks of the wal-index, https://www.sqlite.org/walformat.html#wal_locks.
constexpr int kWriteLock = 0;

// The database's own file, on which SQLite takes the locks of its log. SQLite allocates it, with the base's file
// directly after it, as for the log.
struct DatabaseFile {
  sqlite3_file file;
  FrameGatherer* gatherer;  // Its log's; nullptr while none is open.
  sqlite3_io_methods methods;
};

struct LogFile {
  sqlite3_file file;
  FrameGatherer gatherer;
  DatabaseFile* database;  // Closed after the log.
};

FrameGatherer& GathererOf(sqlite3_file* log) { return reinterpret_cast<LogFile*>(log)->gatherer; }

// ---- The database ---------------------------------------------------------------------------------------------------

int ShmLock(sqlite3_file* file, int first, int count, int flags) {
  sqlite3_file* const base = BaseOf<DatabaseFile>(file);
  FrameGatherer* const gatherer = reinterpret_cast<DatabaseFile*>(file)->gatherer;
  const bool write_lock = gatherer != nullptr && first == kWriteLock && (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  if (write_lock && (flags & SQLITE_SHM_UNLOCK) != 0) gatherer->EndTransaction();
  const int result = base->pMethods->xShmLock(base, first, count, flags);
  if (write_lock && (flags & SQLITE_SHM_LOCK) != 0 && result == SQLITE_OK) gatherer->BeginTransaction();
  return result;
}

// Null if the file was opened elsewhere: by a VFS between SQLite and this one.
DatabaseFile* DatabaseOf(sqlite3_filename log_name) {
  sqlite3_file* const file = sqlite3_database_file_object(log_name);
  if (file == nullptr || file->pMethods == nullptr || file->pMethods->xShmLock != ShmLock) return nullptr;
  return reinterpret_cast<DatabaseFile*>(file);
}

// ---- The log --------------------------------------------------------------------------------------------------------

int CloseLog(sqlite3_file* file) {
  auto* const log = reinterpret_cast<LogFile*>(file);
  log->database->gatherer = nullptr;
  log->~LogFile();
  sqlite3_file* const base = BaseOf<LogFile>(file);
  return base->pMethods->xClose(base);
}

int ReadLog(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
  return GathererOf(file).Read(bytes, count, offset);
}

int WriteLog(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  return GathererOf(file).Write(bytes, count, offset);
}

// Calls the base's method after everything held is written.
template <auto kMethod, typename... Args>
int AfterFlush(sqlite3_file* file, Args... args) {
  if (const int result = GathererOf(file).Flush(); result != SQLITE_OK) return result;
  return PassOnToFile<LogFile, kMethod>::Call(file, args...);
}

// A log is neither locked nor mapped nor shared, so the first version of the methods suffices.
constexpr sqlite3_io_methods LogMethods() {
  sqlite3_io_methods methods = PassingMethods<LogFile>(/*version=*/1);
  methods.xClose = CloseLog;
  methods.xRead = ReadLog;
  methods.xWrite = WriteLog;
  methods.xTruncate = AfterFlush<&sqlite3_io_methods::xTruncate>;
  methods.xSync = AfterFlush<&sqlite3_io_methods::xSync>;
  methods.xFileSize = AfterFlush<&sqlite3_io_methods::xFileSize>;
  return methods;
}
constexpr sqlite3_io_methods kLogMethods = LogMethods();

}  // namespace

absl::StatusOr<std::unique_ptr<WalVfs>> WalVfs::Create(const char* base_name) {
  ASSIGN_OR_RETURN(sqlite3_vfs* const base, FindBase(base_name));
  return IfRegistered(std::unique_ptr<WalVfs>(new WalVfs(*base)));
}

WalVfs::WalVfs(sqlite3_vfs& base) : VfsLayer("toolgate-wal", base, std::max(sizeof(DatabaseFile), sizeof(LogFile))) {}

int WalVfs::Open(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) return OpenDatabase(name, file, flags, out_flags);
  if ((flags & SQLITE_OPEN_WAL) != 0 && DatabaseOf(name) != nullptr) return OpenLog(name, file, flags, out_flags);
  return OpenBase(name, file, flags, out_flags);
}

// In both: SQLite closes a file that has methods, opened or not.

int WalVfs::OpenDatabase(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  auto* const database = new (file) DatabaseFile{};
  sqlite3_file* const base = BaseOf<DatabaseFile>(file);
  base->pMethods = nullptr;
  const int result = OpenBase(name, base, flags, out_flags);
  if (base->pMethods == nullptr) return result;
  database->methods = PassingMethods<DatabaseFile>(std::min(base->pMethods->iVersion, 3));
  database->methods.xShmLock = ShmLock;
  database->file.pMethods = &database->methods;
  return result;
}

int WalVfs::OpenLog(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  sqlite3_file* const base = BaseOf<LogFile>(file);
  base->pMethods = file->pMethods = nullptr;
  const int result = OpenBase(name, base, flags, out_flags);
  if (base->pMethods == nullptr) return result;
  auto* const log = new (file) LogFile{{&kLogMethods}, FrameGatherer(*base), DatabaseOf(name)};
  log->database->gatherer = &log->gatherer;
  return result;
}

}  // namespace toolgate::storage::sqlite
