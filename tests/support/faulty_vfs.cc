#include "tests/support/faulty_vfs.h"

#include <cstdlib>

namespace toolgate::testing {
namespace {

// SQLite allocates it; the real file follows directly.
struct FaultyFile {
  sqlite3_file base;
  FaultyVfs* owner;
};

FaultyVfs& OwnerOf(sqlite3_file* file) { return *reinterpret_cast<FaultyFile*>(file)->owner; }
sqlite3_file* Real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<FaultyFile*>(file) + 1);
}

int Write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  sqlite3_file* const real = Real(file);
  if (!OwnerOf(file).Next()) return real->pMethods->xWrite(real, bytes, count, offset);
  switch (OwnerOf(file).fault()) {
    case FaultyVfs::Fault::kFull:
      return SQLITE_FULL;
    case FaultyVfs::Fault::kTorn:
      real->pMethods->xWrite(real, bytes, count / 2, offset);
      break;
    case FaultyVfs::Fault::kIoError:
      break;
  }
  return SQLITE_IOERR_WRITE;
}

int Sync(sqlite3_file* file, int) { return OwnerOf(file).Next(/*is_sync=*/true) ? SQLITE_IOERR_FSYNC : SQLITE_OK; }

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  sqlite3_file* const real = Real(file);
  const bool fails = OwnerOf(file).Next();
  if (fails && OwnerOf(file).fault() != FaultyVfs::Fault::kTorn) return SQLITE_IOERR_TRUNCATE;
  const int result = real->pMethods->xTruncate(real, size);
  return fails ? SQLITE_IOERR_TRUNCATE : result;
}

int Close(sqlite3_file* file) { return Real(file)->pMethods->xClose(Real(file)); }
int Read(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
  return Real(file)->pMethods->xRead(Real(file), bytes, count, offset);
}
int FileSize(sqlite3_file* file, sqlite3_int64* size) { return Real(file)->pMethods->xFileSize(Real(file), size); }
int Lock(sqlite3_file* file, int level) { return Real(file)->pMethods->xLock(Real(file), level); }
int Unlock(sqlite3_file* file, int level) { return Real(file)->pMethods->xUnlock(Real(file), level); }
int CheckReservedLock(sqlite3_file* file, int* held) {
  return Real(file)->pMethods->xCheckReservedLock(Real(file), held);
}
int FileControl(sqlite3_file* file, int operation, void* argument) {
  return Real(file)->pMethods->xFileControl(Real(file), operation, argument);
}
int SectorSize(sqlite3_file* file) { return Real(file)->pMethods->xSectorSize(Real(file)); }
int DeviceCharacteristics(sqlite3_file* file) { return Real(file)->pMethods->xDeviceCharacteristics(Real(file)); }
int ShmMap(sqlite3_file* file, int region, int size, int extend, void volatile** memory) {
  return Real(file)->pMethods->xShmMap(Real(file), region, size, extend, memory);
}
int ShmLock(sqlite3_file* file, int offset, int count, int flags) {
  return Real(file)->pMethods->xShmLock(Real(file), offset, count, flags);
}
void ShmBarrier(sqlite3_file* file) { Real(file)->pMethods->xShmBarrier(Real(file)); }
int ShmUnmap(sqlite3_file* file, int remove) { return Real(file)->pMethods->xShmUnmap(Real(file), remove); }
int Fetch(sqlite3_file* file, sqlite3_int64 offset, int count, void** memory) {
  return Real(file)->pMethods->xFetch(Real(file), offset, count, memory);
}
int Unfetch(sqlite3_file* file, sqlite3_int64 offset, void* memory) {
  return Real(file)->pMethods->xUnfetch(Real(file), offset, memory);
}

constexpr sqlite3_io_methods kMethods = {3,
                                         Close,
                                         Read,
                                         Write,
                                         Truncate,
                                         Sync,
                                         FileSize,
                                         Lock,
                                         Unlock,
                                         CheckReservedLock,
                                         FileControl,
                                         SectorSize,
                                         DeviceCharacteristics,
                                         ShmMap,
                                         ShmLock,
                                         ShmBarrier,
                                         ShmUnmap,
                                         Fetch,
                                         Unfetch};

int Open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  auto* const owner = static_cast<FaultyVfs*>(vfs->pAppData);
  reinterpret_cast<FaultyFile*>(file)->owner = owner;
  file->pMethods = nullptr;
  const int result = owner->real().xOpen(&owner->real(), name, Real(file), flags, out_flags);
  // SQLite closes a file that has methods, opened or not.
  if (Real(file)->pMethods != nullptr) file->pMethods = &kMethods;
  return result;
}

int Delete(sqlite3_vfs* vfs, const char* name, int) {
  auto* const owner = static_cast<FaultyVfs*>(vfs->pAppData);
  const bool fails = owner->Next();
  if (fails && owner->fault() != FaultyVfs::Fault::kTorn) return SQLITE_IOERR_DELETE;
  const int result = owner->real().xDelete(&owner->real(), name, /*syncDir=*/0);
  return fails ? SQLITE_IOERR_DELETE : result;
}

int Access(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
  sqlite3_vfs& real = static_cast<FaultyVfs*>(vfs->pAppData)->real();
  return real.xAccess(&real, name, flags, result);
}

int FullPathname(sqlite3_vfs* vfs, const char* name, int size, char* path) {
  sqlite3_vfs& real = static_cast<FaultyVfs*>(vfs->pAppData)->real();
  return real.xFullPathname(&real, name, size, path);
}

}  // namespace

FaultyVfs::FaultyVfs() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
  vfs_.pNext = nullptr;
  vfs_.zName = "toolgate-faulty";
  vfs_.szOsFile = static_cast<int>(sizeof(FaultyFile)) + real_->szOsFile;
  vfs_.pAppData = this;
  vfs_.xOpen = Open;
  vfs_.xDelete = Delete;
  vfs_.xAccess = Access;
  vfs_.xFullPathname = FullPathname;
  if (sqlite3_vfs_register(&vfs_, /*makeDflt=*/1) != SQLITE_OK) abort();
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_unregister(&vfs_);
  sqlite3_vfs_register(real_, /*makeDflt=*/1);
}

void FaultyVfs::Arm(int64_t nth, Fault fault, Lasting lasting) {
  armed_ = true;
  operations_ = 0;
  failed_sync_ = false;
  nth_ = nth;
  fault_ = fault;
  lasting_ = lasting;
}

bool FaultyVfs::Next(bool is_sync) {
  ++operations_;
  const bool fails = armed_ && (lasting_ == Lasting::kOnce ? operations_ == nth_ : operations_ >= nth_);
  if (fails) failed_sync_ = is_sync;
  return fails;
}

}  // namespace toolgate::testing
