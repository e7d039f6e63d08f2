// A layer between SQLite and one of its VFSes (its doors to the operating system): what all of them have in common.
#ifndef TOOLGATE_STORAGE_SQLITE_VFS_LAYER_H_
#define TOOLGATE_STORAGE_SQLITE_VFS_LAYER_H_

#include <sqlite3.h>

#include <cstddef>
#include <string>

namespace toolgate::storage::sqlite {

// Registers itself under its name for as long as it lives, and passes everything but the opening of files on to its
// base, which must outlive it. Connections must be opened after it was made and closed before it goes.
// Thread-safe as far as Open is.
class VfsLayer {
 public:
  VfsLayer(const VfsLayer&) = delete;
  VfsLayer& operator=(const VfsLayer&) = delete;
  virtual ~VfsLayer();

  // For sqlite3_open_v2. Nobody else's.
  const char* name() const { return name_.c_str(); }
  // False when SQLite had no memory for it.
  bool registered() const { return registered_; }

 protected:
  // `kind` begins its name. `file_bytes`: what each file needs in front of the base's own.
  VfsLayer(const char* kind, sqlite3_vfs& base, size_t file_bytes);

  // As sqlite3_vfs::xOpen. `file` has room for `file_bytes` and the base's file behind.
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

// The base's file, which lies right behind a layer's own. `File` begins with a sqlite3_file.
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
