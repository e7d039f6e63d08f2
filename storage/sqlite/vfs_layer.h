// Common base of layers between SQLite and one of its VFSes (its interfaces to the operating system).
#ifndef TOOLGATE_STORAGE_SQLITE_VFS_LAYER_H_
#define TOOLGATE_STORAGE_SQLITE_VFS_LAYER_H_

#include <sqlite3.h>

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::storage::sqlite {

// Registered under its name during its lifetime; passes everything except the opening of files to its base, which must
// outlive it. Connections must be opened after its construction and closed before its destruction. Thread-safe if Open
// is.
class VfsLayer {
 public:
  VfsLayer(const VfsLayer&) = delete;
  VfsLayer& operator=(const VfsLayer&) = delete;
  virtual ~VfsLayer();

  // For sqlite3_open_v2. Unique.
  const char* name() const { return name_.c_str(); }
  // False if SQLite had no memory for it.
  bool registered() const { return registered_; }

 protected:
  // The VFS of that name, or SQLite's default one; INTERNAL if there is none of that name.
  static absl::StatusOr<sqlite3_vfs*> FindBase(const char* name);
  // `made`, unless SQLite had no memory for it (UNAVAILABLE).
  template <typename Layer>
  static absl::StatusOr<std::unique_ptr<Layer>> IfRegistered(std::unique_ptr<Layer> made) {
    if (!made->registered()) return absl::UnavailableError("SQLite has no memory for another VFS");
    return made;
  }

  // `kind` is the prefix of its name. `file_bytes`: size of each file's own data before the base's.
  VfsLayer(const char* kind, sqlite3_vfs& base, size_t file_bytes);

  // As sqlite3_vfs::xOpen. `file` has room for `file_bytes`, followed by the base's file.
  virtual int Open(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) = 0;
  int OpenBase(sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
    return base_.xOpen(&base_, name, file, flags, out_flags);
  }

 private:
  template <auto kMethod>
  struct PassOn;
  static int OpenThroughLayer(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags);

  sqlite3_vfs& base_;
  const std::string name_;
  sqlite3_vfs vfs_;
  bool registered_ = false;
};

// The base's file, directly after a layer's own. `File` begins with a sqlite3_file.
template <typename File>
sqlite3_file* BaseOf(sqlite3_file* file) {
  static_assert(sizeof(File) % 8 == 0, "SQLite aligns files to 8 bytes");
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
}

template <typename File, auto kMethod>
struct PassOnToFile;
template <typename File, typename Result, typename... Args,
          Result (*sqlite3_io_methods::*kMethod)(sqlite3_file*, Args...)>
struct PassOnToFile<File, kMethod> {
  static Result Call(sqlite3_file* file, Args... args) {
    sqlite3_file* const base = BaseOf<File>(file);
    return (base->pMethods->*kMethod)(base, args...);
  }
};

// Methods of a layer's file that pass everything on. `version` must not be above that of the base's file.
template <typename File>
constexpr sqlite3_io_methods PassingMethods(int version) {
  using Methods = sqlite3_io_methods;
  return {.iVersion = version,
          .xClose = PassOnToFile<File, &Methods::xClose>::Call,
          .xRead = PassOnToFile<File, &Methods::xRead>::Call,
          .xWrite = PassOnToFile<File, &Methods::xWrite>::Call,
          .xTruncate = PassOnToFile<File, &Methods::xTruncate>::Call,
          .xSync = PassOnToFile<File, &Methods::xSync>::Call,
          .xFileSize = PassOnToFile<File, &Methods::xFileSize>::Call,
          .xLock = PassOnToFile<File, &Methods::xLock>::Call,
          .xUnlock = PassOnToFile<File, &Methods::xUnlock>::Call,
          .xCheckReservedLock = PassOnToFile<File, &Methods::xCheckReservedLock>::Call,
          .xFileControl = PassOnToFile<File, &Methods::xFileControl>::Call,
          .xSectorSize = PassOnToFile<File, &Methods::xSectorSize>::Call,
          .xDeviceCharacteristics = PassOnToFile<File, &Methods::xDeviceCharacteristics>::Call,
          .xShmMap = PassOnToFile<File, &Methods::xShmMap>::Call,
          .xShmLock = PassOnToFile<File, &Methods::xShmLock>::Call,
          .xShmBarrier = PassOnToFile<File, &Methods::xShmBarrier>::Call,
          .xShmUnmap = PassOnToFile<File, &Methods::xShmUnmap>::Call,
          .xFetch = PassOnToFile<File, &Methods::xFetch>::Call,
          .xUnfetch = PassOnToFile<File, &Methods::xUnfetch>::Call};
}

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_VFS_LAYER_H_
