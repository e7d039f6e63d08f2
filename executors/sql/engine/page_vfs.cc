#include "executors/sql/engine/page_vfs.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace toolgate::executors::sql::engine {
namespace {

// SQLite's Julian days count from noon of 24 November 4714 BC, here in milliseconds up to the Unix epoch.
constexpr int64_t kJulianEpochMillis = int64_t{210'866'760'000'000};
constexpr int kTemporary =
    SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL;

// SQLite allocates these.
struct MainFile {
  sqlite3_file base;
  PageFile* pages;
};

// Memory in chunks, which grow at the end only.
struct TemporaryFile {
  static constexpr int64_t kChunk = 64 << 10;
  sqlite3_file base;
  char** chunks;
  int64_t chunk_count;
  int64_t size;
};

PageFile& PagesOf(sqlite3_file* file) { return *reinterpret_cast<MainFile*>(file)->pages; }
TemporaryFile& TemporaryOf(sqlite3_file* file) { return *reinterpret_cast<TemporaryFile*>(file); }
PageVfs& OwnerOf(sqlite3_vfs* vfs) { return *static_cast<PageVfs*>(vfs->pAppData); }

// ---- Common to both kinds of file -----------------------------------------------------------------------------------

int Sync(sqlite3_file*, int) { return SQLITE_OK; }
int Lock(sqlite3_file*, int) { return SQLITE_OK; }
int CheckReservedLock(sqlite3_file*, int* held) {
  *held = 0;
  return SQLITE_OK;
}
int FileControl(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int SectorSize(sqlite3_file*) { return static_cast<int>(kPageSize); }
int DeviceCharacteristics(sqlite3_file*) {
  return SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL | SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

// ---- The database ---------------------------------------------------------------------------------------------------

int Close(sqlite3_file*) { return SQLITE_OK; }

int Read(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
  const absl::StatusOr<bool> whole = PagesOf(file).Read(offset, static_cast<char*>(bytes), count);
  if (!whole.ok()) return SQLITE_IOERR_READ;
  return *whole ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int Write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  const std::string_view data(static_cast<const char*>(bytes), static_cast<size_t>(count));
  return PagesOf(file).Write(offset, data).ok() ? SQLITE_OK : SQLITE_IOERR_WRITE;
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  PagesOf(file).Truncate((size + kPageSize - 1) / kPageSize);
  return SQLITE_OK;
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  *size = PagesOf(file).page_count() * kPageSize;
  return SQLITE_OK;
}

// Version 1: no shared memory, hence neither write-ahead log nor mapping.
constexpr sqlite3_io_methods kMainMethods = {1,
                                             Close,
                                             Read,
                                             Write,
                                             Truncate,
                                             Sync,
                                             FileSize,
                                             Lock,
                                             Lock,
                                             CheckReservedLock,
                                             FileControl,
                                             SectorSize,
                                             DeviceCharacteristics,
                                             nullptr,
                                             nullptr,
                                             nullptr,
                                             nullptr,
                                             nullptr,
                                             nullptr};

// ---- Temporary files ------------------------------------------------------------------------------------------------

int CloseTemporary(sqlite3_file* file) {
  TemporaryFile& temporary = TemporaryOf(file);
  for (int64_t i = 0; i < temporary.chunk_count; ++i) sqlite3_free(temporary.chunks[i]);
  sqlite3_free(temporary.chunks);
  temporary.chunks = nullptr;
  temporary.chunk_count = 0;
  return SQLITE_OK;
}

// Calls `copy(within the chunk, within the buffer, size)` for each piece of the range.
template <typename Copy>
void ForEachPiece(TemporaryFile& file, int64_t offset, int64_t count, Copy copy) {
  for (int64_t done = 0; done < count;) {
    const int64_t within = (offset + done) % TemporaryFile::kChunk;
    const int64_t size = std::min(TemporaryFile::kChunk - within, count - done);
    copy(file.chunks[(offset + done) / TemporaryFile::kChunk] + within, done, size);
    done += size;
  }
}

int ReadTemporary(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
  TemporaryFile& temporary = TemporaryOf(file);
  char* const out = static_cast<char*>(bytes);
  const int64_t there = std::clamp<int64_t>(temporary.size - offset, 0, count);
  ForEachPiece(temporary, offset, there,
               [&](const char* chunk, int64_t at, int64_t size) { std::memcpy(out + at, chunk, size); });
  if (there == count) return SQLITE_OK;
  std::memset(out + there, 0, count - there);
  return SQLITE_IOERR_SHORT_READ;
}

bool GrowTo(TemporaryFile& file, int64_t size) {
  const int64_t needed = (size + TemporaryFile::kChunk - 1) / TemporaryFile::kChunk;
  if (needed <= file.chunk_count) return true;
  auto** const chunks = static_cast<char**>(sqlite3_realloc64(file.chunks, needed * sizeof(char*)));
  if (chunks == nullptr) return false;
  file.chunks = chunks;
  for (; file.chunk_count < needed; ++file.chunk_count) {
    auto* const chunk = static_cast<char*>(sqlite3_malloc64(TemporaryFile::kChunk));
    if (chunk == nullptr) return false;
    // An unwritten gap reads as zeros.
    std::memset(chunk, 0, TemporaryFile::kChunk);
    file.chunks[file.chunk_count] = chunk;
  }
  return true;
}

int WriteTemporary(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  TemporaryFile& temporary = TemporaryOf(file);
  if (!GrowTo(temporary, offset + count)) return SQLITE_IOERR_NOMEM;
  const char* const in = static_cast<const char*>(bytes);
  ForEachPiece(temporary, offset, count,
               [&](char* chunk, int64_t at, int64_t size) { std::memcpy(chunk, in + at, size); });
  temporary.size = std::max<int64_t>(temporary.size, offset + count);
  return SQLITE_OK;
}

int TruncateTemporary(sqlite3_file* file, sqlite3_int64 size) {
  TemporaryFile& temporary = TemporaryOf(file);
  if (size >= temporary.size) return SQLITE_OK;
  const int64_t kept = (size + TemporaryFile::kChunk - 1) / TemporaryFile::kChunk;
  while (temporary.chunk_count > kept) sqlite3_free(temporary.chunks[--temporary.chunk_count]);
  temporary.size = size;
  // A later write behind a gap must leave zeros in it.
  const int64_t within = size % TemporaryFile::kChunk;
  if (within != 0) std::memset(temporary.chunks[kept - 1] + within, 0, TemporaryFile::kChunk - within);
  return SQLITE_OK;
}

int TemporarySize(sqlite3_file* file, sqlite3_int64* size) {
  *size = TemporaryOf(file).size;
  return SQLITE_OK;
}

constexpr sqlite3_io_methods kTemporaryMethods = {
    1,       CloseTemporary,    ReadTemporary, WriteTemporary, TruncateTemporary,     Sync,    TemporarySize, Lock,
    Lock,    CheckReservedLock, FileControl,   SectorSize,     DeviceCharacteristics, nullptr, nullptr,       nullptr,
    nullptr, nullptr,           nullptr};

// ---- The file system ------------------------------------------------------------------------------------------------

int Open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0 && name != nullptr && std::string_view(name) == PageVfs::kFileName) {
    reinterpret_cast<MainFile*>(file)->pages = &OwnerOf(vfs).file();
    file->pMethods = &kMainMethods;
  } else if ((flags & kTemporary) != 0) {
    TemporaryFile& temporary = TemporaryOf(file);
    temporary.chunks = nullptr;
    temporary.chunk_count = 0;
    temporary.size = 0;
    file->pMethods = &kTemporaryMethods;
  } else {
    return SQLITE_CANTOPEN;
  }
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int Delete(sqlite3_vfs*, const char*, int) { return SQLITE_IOERR_DELETE; }

int Access(sqlite3_vfs*, const char*, int, int* result) {
  *result = 0;
  return SQLITE_OK;
}

int FullPathname(sqlite3_vfs*, const char* name, int size, char* path) {
  sqlite3_snprintf(size, path, "%s", name);
  return SQLITE_OK;
}

int Randomness(sqlite3_vfs*, int size, char* bytes) {
  sqlite3_randomness(size, bytes);
  return size;
}

int Sleep(sqlite3_vfs*, int) { return 0; }

int CurrentTimeMillis(sqlite3_vfs* vfs, sqlite3_int64* time) {
  *time = kJulianEpochMillis + absl::ToUnixMillis(OwnerOf(vfs).now());
  return SQLITE_OK;
}

int CurrentTime(sqlite3_vfs* vfs, double* days) {
  sqlite3_int64 millis = 0;
  CurrentTimeMillis(vfs, &millis);
  *days = static_cast<double>(millis) / 86'400'000.0;
  return SQLITE_OK;
}

int LastError(sqlite3_vfs*, int, char*) { return 0; }

}  // namespace

PageVfs::PageVfs(PageFile& file, absl::Time now)
    : file_(file), now_(now), name_(absl::StrCat("toolgate-pages-", absl::Hex(reinterpret_cast<uintptr_t>(this)))) {
  vfs_ = {};
  vfs_.iVersion = 2;
  vfs_.szOsFile = static_cast<int>(std::max(sizeof(MainFile), sizeof(TemporaryFile)));
  vfs_.mxPathname = 64;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = Open;
  vfs_.xDelete = Delete;
  vfs_.xAccess = Access;
  vfs_.xFullPathname = FullPathname;
  vfs_.xRandomness = Randomness;
  vfs_.xSleep = Sleep;
  vfs_.xCurrentTime = CurrentTime;
  vfs_.xGetLastError = LastError;
  vfs_.xCurrentTimeInt64 = CurrentTimeMillis;
  if (sqlite3_vfs_register(&vfs_, /*makeDflt=*/0) != SQLITE_OK) std::abort();
}

PageVfs::~PageVfs() { sqlite3_vfs_unregister(&vfs_); }

}  // namespace toolgate::executors::sql::engine
