#include "storage/sqlite/vfs_layer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace toolgate::storage::sqlite {

template <auto kMethod>
struct VfsLayer::PassOn {};

template <typename Result, typename... Args, Result (*sqlite3_vfs::*kMethod)(sqlite3_vfs*, Args...)>
struct VfsLayer::PassOn<kMethod> {
  static Result Call(sqlite3_vfs* vfs, Args... args) {
    sqlite3_vfs& base = static_cast<VfsLayer*>(vfs->pAppData)->base_;
    return (base.*kMethod)(&base, args...);
  }
};

int VfsLayer::OpenThroughLayer(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  return static_cast<VfsLayer*>(vfs->pAppData)->Open(name, file, flags, out_flags);
}

VfsLayer::VfsLayer(const char* kind, sqlite3_vfs& base, size_t file_bytes)
    : base_(base), name_(absl::StrFormat("%s-%p", kind, this)), vfs_() {
  // The third version only adds hooks for SQLite's own tests.
  vfs_.iVersion = std::min(base.iVersion, 2);
  vfs_.szOsFile = static_cast<int>(file_bytes) + base.szOsFile;
  vfs_.mxPathname = base.mxPathname;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = OpenThroughLayer;
  vfs_.xDelete = PassOn<&sqlite3_vfs::xDelete>::Call;
  vfs_.xAccess = PassOn<&sqlite3_vfs::xAccess>::Call;
  vfs_.xFullPathname = PassOn<&sqlite3_vfs::xFullPathname>::Call;
  vfs_.xDlOpen = PassOn<&sqlite3_vfs::xDlOpen>::Call;
  vfs_.xDlError = PassOn<&sqlite3_vfs::xDlError>::Call;
  vfs_.xDlSym = PassOn<&sqlite3_vfs::xDlSym>::Call;
  vfs_.xDlClose = PassOn<&sqlite3_vfs::xDlClose>::Call;
  vfs_.xRandomness = PassOn<&sqlite3_vfs::xRandomness>::Call;
  vfs_.xSleep = PassOn<&sqlite3_vfs::xSleep>::Call;
  vfs_.xCurrentTime = PassOn<&sqlite3_vfs::xCurrentTime>::Call;
  vfs_.xGetLastError = PassOn<&sqlite3_vfs::xGetLastError>::Call;
  vfs_.xCurrentTimeInt64 = PassOn<&sqlite3_vfs::xCurrentTimeInt64>::Call;
  registered_ = sqlite3_vfs_register(&vfs_, /*makeDflt=*/0) == SQLITE_OK;
}

absl::StatusOr<sqlite3_vfs*> VfsLayer::FindBase(const char* name) {
  if (sqlite3_vfs* const base = sqlite3_vfs_find(name); base != nullptr) return base;
  return absl::InternalError(absl::StrCat("SQLite has no VFS ", name == nullptr ? "at all" : name));
}

VfsLayer::~VfsLayer() {
  if (registered_) sqlite3_vfs_unregister(&vfs_);
}

}  // namespace toolgate::storage::sqlite
