#include "storage/sqlite/shadow_vfs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {
namespace {

// The wal-index, https://www.sqlite.org/walformat.html#walidxfmt: the header twice, then the number of frames that are
// in the database already.
constexpr size_t kHeaderBytes = 48;
constexpr size_t kBackfillAt = 2 * kHeaderBytes;
constexpr size_t kStateBytes = kBackfillAt + 4;
// A commit changes the header; a copy between two of them is a matter of nanoseconds.
constexpr int kMaxCopies = 1'000'000;

// For sqlite3_file_control; SQLite's own codes are below 100.
constexpr int kRefresh = 0x7467;

using Region = std::unique_ptr<char[]>;

// As in WalVfs, SQLite allocates it with the base's file directly after it.
struct DatabaseFile {
  sqlite3_file file;
  std::vector<Region> index;  // Regions of the private wal-index, which stay where they are.
  int region_bytes;
  int padding;
  sqlite3_io_methods methods;
};

struct LogFile {
  sqlite3_file file;
};

DatabaseFile* DatabaseOf(sqlite3_file* file) { return reinterpret_cast<DatabaseFile*>(file); }

// ---- The wal-index --------------------------------------------------------------------------------------------------

// The shared memory changes while it is copied, which CopyState notices.
void CopyShared(char* to, const volatile void* from, size_t count) {
  std::memcpy(to, const_cast<const void*>(from), count);
}

// Null in `region`: there is none.
int SharedRegion(sqlite3_file* file, int number, const volatile void*& region) {
  sqlite3_file* const base = BaseOf<DatabaseFile>(file);
  volatile void* found = nullptr;
  const int result =
      base->pMethods->xShmMap(base, number, DatabaseOf(file)->region_bytes, /*extend=*/0, &found);
  region = found;
  return result;
}

// Copies the state of the log until it stands still.
int CopyState(sqlite3_file* file, const volatile void* shared, char* to) {
  sqlite3_file* const base = BaseOf<DatabaseFile>(file);
  std::array<char, kStateBytes> once;
  std::array<char, kStateBytes> twice;
  for (int copies = 0; copies < kMaxCopies; ++copies) {
    CopyShared(once.data(), shared, kStateBytes);
    base->pMethods->xShmBarrier(base);
    CopyShared(twice.data(), shared, kStateBytes);
    const bool is_whole = once == twice && std::memcmp(once.data(), once.data() + kHeaderBytes, kHeaderBytes) == 0;
    if (!is_whole) continue;
    std::memcpy(to, once.data(), kStateBytes);
    return SQLITE_OK;
  }
  return SQLITE_BUSY;
}

int CopyRegion(sqlite3_file* file, int number) {
  DatabaseFile* const database = DatabaseOf(file);
  const volatile void* shared = nullptr;
  if (const int result = SharedRegion(file, number, shared); result != SQLITE_OK) return result;
  if (shared == nullptr) return SQLITE_OK;
  char* const own = database->index[static_cast<size_t>(number)].get();
  size_t done = 0;
  if (number == 0) {
    if (const int result = CopyState(file, shared, own); result != SQLITE_OK) return result;
    done = kStateBytes;
  }
  CopyShared(own + done, static_cast<const volatile char*>(shared) + done,
             static_cast<size_t>(database->region_bytes) - done);
  return SQLITE_OK;
}

int RefreshIndex(sqlite3_file* file) {
  for (size_t i = 0; i < DatabaseOf(file)->index.size(); ++i) {
    if (DatabaseOf(file)->index[i] == nullptr) continue;
    if (const int result = CopyRegion(file, static_cast<int>(i)); result != SQLITE_OK) return result;
  }
  return SQLITE_OK;
}

int ShmMap(sqlite3_file* file, int number, int bytes, int extend, volatile void** region) {
  DatabaseFile* const database = DatabaseOf(file);
  const auto place = static_cast<size_t>(number);
  *region = nullptr;
  if (place < database->index.size() && database->index[place] != nullptr) {
    *region = database->index[place].get();
    return SQLITE_OK;
  }
  database->region_bytes = bytes;
  const volatile void* shared = nullptr;
  if (const int result = SharedRegion(file, number, shared); result != SQLITE_OK) return result;
  if (shared == nullptr && extend == 0) return SQLITE_OK;
  if (place >= database->index.size()) database->index.resize(place + 1);
  Region& own = database->index[place];
  own.reset(new (std::nothrow) char[static_cast<size_t>(bytes)]());
  if (own == nullptr) return SQLITE_NOMEM;
  if (const int result = CopyRegion(file, number); result != SQLITE_OK) return result;
  *region = own.get();
  return SQLITE_OK;
}

int ShmLock(sqlite3_file*, int, int, int) { return SQLITE_OK; }

int ShmUnmap(sqlite3_file* file, int) {
  sqlite3_file* const base = BaseOf<DatabaseFile>(file);
  DatabaseOf(file)->index.clear();
  return base->pMethods->xShmUnmap(base, /*deleteFlag=*/0);
}

int FileControl(sqlite3_file* file, int code, void* argument) {
  if (code == kRefresh) return RefreshIndex(file);
  sqlite3_file* const base = BaseOf<DatabaseFile>(file);
  return base->pMethods->xFileControl(base, code, argument);
}

// ---- What cannot be written -----------------------------------------------------------------------------------------

int RefuseWrite(sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; }
int RefuseTruncate(sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; }
int RefuseSync(sqlite3_file*, int) { return SQLITE_READONLY; }

template <typename File>
constexpr sqlite3_io_methods ReadingMethods(int version) {
  sqlite3_io_methods methods = PassingMethods<File>(version);
  methods.xWrite = RefuseWrite;
  methods.xTruncate = RefuseTruncate;
  methods.xSync = RefuseSync;
  return methods;
}

int CloseDatabase(sqlite3_file* file) {
  DatabaseOf(file)->~DatabaseFile();
  sqlite3_file* const base = BaseOf<DatabaseFile>(file);
  return base->pMethods->xClose(base);
}

constexpr sqlite3_io_methods kLogMethods = ReadingMethods<LogFile>(/*version=*/1);

}  // namespace

absl::StatusOr<std::unique_ptr<ShadowVfs>> ShadowVfs::Create(const char* base_name) {
  sqlite3_vfs* const base = sqlite3_vfs_find(base_name);
  if (base == nullptr) {
    return absl::InternalError(absl::StrCat("SQLite has no VFS ", base_name == nullptr ? "at all" : base_name));
  }
  std::unique_ptr<ShadowVfs> vfs(new ShadowVfs(*base));
  if (!vfs->registered()) return absl::UnavailableError("SQLite has no memory for another VFS");
  return vfs;
}

ShadowVfs::ShadowVfs(sqlite3_vfs& base)
    : VfsLayer("toolgate-shadow", base, std::max(sizeof(DatabaseFile), sizeof(LogFile))) {}

absl::Status ShadowVfs::Refresh(sqlite3* db) {
  const int result = sqlite3_file_control(db, "main", kRefresh, nullptr);
  return SqliteStatus(nullptr, result, "copying the state of the write-ahead log");
}

int ShadowVfs::Open(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  // SQLite closes a file that has methods, opened or not.
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) {
    auto* const database = new (file) DatabaseFile{};
    sqlite3_file* const base = BaseOf<DatabaseFile>(file);
    base->pMethods = nullptr;
    const int result = OpenBase(name, base, flags, out_flags);
    if (base->pMethods == nullptr) {
      database->~DatabaseFile();
      file->pMethods = nullptr;
      return result;
    }
    database->methods = ReadingMethods<DatabaseFile>(std::min(base->pMethods->iVersion, 3));
    database->methods.xClose = CloseDatabase;
    database->methods.xFileControl = FileControl;
    database->methods.xShmMap = ShmMap;
    database->methods.xShmLock = ShmLock;
    database->methods.xShmUnmap = ShmUnmap;
    database->file.pMethods = &database->methods;
    return result;
  }
  if ((flags & SQLITE_OPEN_WAL) != 0) {
    auto* const log = new (file) LogFile{};
    sqlite3_file* const base = BaseOf<LogFile>(file);
    base->pMethods = nullptr;
    const int result = OpenBase(name, base, flags, out_flags);
    if (base->pMethods != nullptr) log->file.pMethods = &kLogMethods;
    return result;
  }
  return OpenBase(name, file, flags, out_flags);
}

}  // namespace toolgate::storage::sqlite
