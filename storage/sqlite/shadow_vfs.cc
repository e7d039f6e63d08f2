#include "storage/sqlite/shadow_vfs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

#include "absl/status/status.h"
#include "common/status_macros.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {
namespace {

// The wal-index, https://www.sqlite.org/walformat.html#walidxfmt: the header twice, then the number of frames that are
// in the database already.
constexpr size_t kIndexHeaderBytes = 48;
constexpr size_t kBackfillAt = 2 * kIndexHeaderBytes;
constexpr size_t kStateBytes = kBackfillAt + 4;
// A commit changes the header; a copy between two of them is a matter of nanoseconds.
constexpr int kMaxCopies = 1'000'000;

// For sqlite3_file_control; SQLite's own codes are below 100.
constexpr int kRefresh = 0x7467;

using Region = std::unique_ptr<char[]>;

// As in WalVfs, SQLite allocates it with the base's file directly after it.
struct ShadowDatabase {
  sqlite3_file file;
  std::vector<Region> index;  // Regions of the private wal-index, which stay where they are.
  int region_bytes;
  int padding;
  sqlite3_io_methods methods;
};

struct ShadowLog {
  sqlite3_file file;
};

ShadowDatabase* ShadowOf(sqlite3_file* file) { return reinterpret_cast<ShadowDatabase*>(file); }

// ---- The wal-index --------------------------------------------------------------------------------------------------

// The shared memory changes while it is copied, which CopyState notices.
void CopyShared(char* to, const volatile void* from, size_t count) {
  std::memcpy(to, const_cast<const void*>(from), count);
}

// Null in `region`: there is none.
int SharedRegion(sqlite3_file* file, int number, const volatile void*& region) {
  sqlite3_file* const base = BaseOf<ShadowDatabase>(file);
  volatile void* found = nullptr;
  const int result = base->pMethods->xShmMap(base, number, ShadowOf(file)->region_bytes, /*extend=*/0, &found);
  region = found;
  return result;
}

// Copies the state of the log until it stands still.
int CopyState(sqlite3_file* file, const volatile void* shared, char* to) {
  sqlite3_file* const base = BaseOf<ShadowDatabase>(file);
  std::array<char, kStateBytes> once;
  std::array<char, kStateBytes> twice;
  for (int copies = 0; copies < kMaxCopies; ++copies) {
    CopyShared(once.data(), shared, kStateBytes);
    base->pMethods->xShmBarrier(base);
    CopyShared(twice.data(), shared, kStateBytes);
    const bool is_whole =
        once == twice && std::memcmp(once.data(), once.data() + kIndexHeaderBytes, kIndexHeaderBytes) == 0;
    if (!is_whole) continue;
    std::memcpy(to, once.data(), kStateBytes);
    return SQLITE_OK;
  }
  return SQLITE_BUSY;
}

int CopyRegion(sqlite3_file* file, int number) {
  ShadowDatabase* const database = ShadowOf(file);
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
  for (size_t i = 0; i < ShadowOf(file)->index.size(); ++i) {
    if (ShadowOf(file)->index[i] == nullptr) continue;
    if (const int result = CopyRegion(file, static_cast<int>(i)); result != SQLITE_OK) return result;
  }
  return SQLITE_OK;
}

int ShadowShmMap(sqlite3_file* file, int number, int bytes, int extend, volatile void** region) {
  ShadowDatabase* const database = ShadowOf(file);
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

int ShadowShmLock(sqlite3_file*, int, int, int) { return SQLITE_OK; }

int ShadowShmUnmap(sqlite3_file* file, int) {
  sqlite3_file* const base = BaseOf<ShadowDatabase>(file);
  ShadowOf(file)->index.clear();
  return base->pMethods->xShmUnmap(base, /*deleteFlag=*/0);
}

int FileControl(sqlite3_file* file, int code, void* argument) {
  if (code == kRefresh) return RefreshIndex(file);
  sqlite3_file* const base = BaseOf<ShadowDatabase>(file);
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
  ShadowOf(file)->~ShadowDatabase();
  sqlite3_file* const base = BaseOf<ShadowDatabase>(file);
  return base->pMethods->xClose(base);
}

constexpr sqlite3_io_methods kShadowLogMethods = ReadingMethods<ShadowLog>(/*version=*/1);

}  // namespace

absl::StatusOr<std::unique_ptr<ShadowVfs>> ShadowVfs::Create(const char* base_name) {
  ASSIGN_OR_RETURN(sqlite3_vfs* const base, FindBase(base_name));
  return IfRegistered(std::unique_ptr<ShadowVfs>(new ShadowVfs(*base)));
}

ShadowVfs::ShadowVfs(sqlite3_vfs& base)
    : VfsLayer("toolgate-shadow", base, std::max(sizeof(ShadowDatabase), sizeof(ShadowLog))) {}

absl::Status ShadowVfs::Refresh(sqlite3* db) {
  const int result = sqlite3_file_control(db, "main", kRefresh, nullptr);
  return SqliteStatus(nullptr, result, "copying the state of the write-ahead log");
}

int ShadowVfs::Open(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  // SQLite closes a file that has methods, opened or not.
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) {
    auto* const database = new (file) ShadowDatabase{};
    sqlite3_file* const base = BaseOf<ShadowDatabase>(file);
    base->pMethods = nullptr;
    const int result = OpenBase(name, base, flags, out_flags);
    if (base->pMethods == nullptr) {
      database->~ShadowDatabase();
      file->pMethods = nullptr;
      return result;
    }
    database->methods = ReadingMethods<ShadowDatabase>(std::min(base->pMethods->iVersion, 3));
    database->methods.xClose = CloseDatabase;
    database->methods.xFileControl = FileControl;
    database->methods.xShmMap = ShadowShmMap;
    database->methods.xShmLock = ShadowShmLock;
    database->methods.xShmUnmap = ShadowShmUnmap;
    database->file.pMethods = &database->methods;
    return result;
  }
  if ((flags & SQLITE_OPEN_WAL) != 0) {
    auto* const log = new (file) ShadowLog{};
    sqlite3_file* const base = BaseOf<ShadowLog>(file);
    base->pMethods = nullptr;
    const int result = OpenBase(name, base, flags, out_flags);
    if (base->pMethods != nullptr) log->file.pMethods = &kShadowLogMethods;
    return result;
  }
  return OpenBase(name, file, flags, out_flags);
}

}  // namespace toolgate::storage::sqlite
