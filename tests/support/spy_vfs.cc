#include "tests/support/spy_vfs.h"

#include <algorithm>

namespace toolgate::testing {
namespace {

using storage::sqlite::BaseOf;
using storage::sqlite::PassingMethods;
using Kind = SpyVfs::Operation::Kind;

// SQLite allocates it; the base's file follows directly.
struct SpiedFile {
  sqlite3_file file;
  SpyVfs* owner;
  const char* path;  // SQLite keeps it for as long as the file is open.
  int64_t is_log;
  sqlite3_io_methods methods;
};

void Note(sqlite3_file* file, Kind kind, int64_t offset, int64_t bytes) {
  const auto* const spied = reinterpret_cast<SpiedFile*>(file);
  spied->owner->Note({kind, spied->is_log != 0, spied->path, offset, bytes});
}

int Write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  Note(file, Kind::kWrite, offset, count);
  sqlite3_file* const base = BaseOf<SpiedFile>(file);
  return base->pMethods->xWrite(base, bytes, count, offset);
}

int Sync(sqlite3_file* file, int) {
  Note(file, Kind::kSync, 0, 0);
  return SQLITE_OK;
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  Note(file, Kind::kTruncate, size, 0);
  sqlite3_file* const base = BaseOf<SpiedFile>(file);
  return base->pMethods->xTruncate(base, size);
}

int DeviceCharacteristics(sqlite3_file* file) {
  sqlite3_file* const base = BaseOf<SpiedFile>(file);
  const int all = base->pMethods->xDeviceCharacteristics(base);
  return reinterpret_cast<SpiedFile*>(file)->owner->powersafe_overwrite() ? all
                                                                          : all & ~SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

}  // namespace

SpyVfs::SpyVfs() : VfsLayer("toolgate-spy", *sqlite3_vfs_find(nullptr), sizeof(SpiedFile)) {}

int SpyVfs::Open(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  if ((flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0) return OpenBase(name, file, flags, out_flags);
  auto* const spied = new (file) SpiedFile{};
  sqlite3_file* const base = BaseOf<SpiedFile>(file);
  base->pMethods = nullptr;
  const int result = OpenBase(name, base, flags, out_flags);
  if (base->pMethods == nullptr) return result;
  spied->owner = this;
  spied->path = name;
  spied->is_log = (flags & SQLITE_OPEN_WAL) != 0;
  spied->methods = PassingMethods<SpiedFile>(std::min(base->pMethods->iVersion, 3));
  spied->methods.xWrite = Write;
  spied->methods.xSync = Sync;
  spied->methods.xTruncate = Truncate;
  spied->methods.xDeviceCharacteristics = DeviceCharacteristics;
  spied->file.pMethods = &spied->methods;
  return result;
}

}  // namespace toolgate::testing
