#include "executors/directory/staging.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/directory/content.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"

namespace toolgate::executors::directory {
namespace {

constexpr std::string_view kStaging = "staging";
constexpr std::string_view kImages = "images";
// The owner's rights with which a folder is filled.
constexpr uint32_t kOwnerRights = 0700;
constexpr size_t kMaxName = 200;

std::string NameOfNumber(size_t n) { return absl::StrCat(n); }

absl::Status Changed(std::string_view path) {
  return PathError(ErrorCode::kConflict, path, "was changed by something else; nothing was done");
}

// Of renameat2.
absl::Status RenameError(int error, std::string_view path) {
  if (error != EINVAL && error != ENOSYS) return FileError(error, path);
  return PathError(ErrorCode::kNotConfigured, path,
                   "is on a file system that cannot exchange files; put the workspace's directory on ext4, XFS, Btrfs "
                   "or tmpfs");
}

std::string OwnPath(std::string_view kind, std::string_view name = "") {
  std::string path = JoinPath(kOwnFolder, kind);
  return name.empty() ? path : JoinPath(path, name);
}

absl::StatusOr<std::vector<std::string>> NamesBelow(int folder, std::string_view path) {
  Descriptor open = OpenBeneath(folder, path, O_RDONLY | O_DIRECTORY);
  if (!open.valid() && errno == ENOENT) return std::vector<std::string>();
  if (!open.valid()) return FileError(errno, path);
  DIR* const stream = fdopendir(open.get());
  if (stream == nullptr) return FileError(errno, path);
  open.Release();
  std::vector<std::string> names;
  while (const dirent* const entry = readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(stream);
  return names;
}

// Of a folder of the service's own, with everything in it.
absl::Status RemoveTree(int folder, const std::string& path) {
  const Descriptor at = OpenBeneath(folder, path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (!at.valid() && errno == ENOENT) return absl::OkStatus();
  if (!at.valid()) return FileError(errno, path);
  ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesBelow(folder, path));
  for (const std::string& name : names) {
    if (unlinkat(at.get(), name.c_str(), 0) == 0 || errno == ENOENT) continue;
    if (errno != EISDIR && errno != EPERM) return FileError(errno, JoinPath(path, name));
    RETURN_IF_ERROR(RemoveTree(folder, JoinPath(path, name)));
  }
  const Descriptor parent = OpenBeneath(folder, ParentOf(path), O_PATH | O_DIRECTORY);
  if (!parent.valid()) return FileError(errno, path);
  if (unlinkat(parent.get(), std::string(NameOf(path)).c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) {
    return absl::OkStatus();
  }
  return FileError(errno, path);
}

absl::Status SyncFolder(int folder, std::string_view path) {
  const Descriptor open = OpenBeneath(folder, path, O_RDONLY | O_DIRECTORY);
  // One that may not be read cannot be synchronised by itself.
  if (!open.valid()) return errno == EACCES || errno == ENOENT ? absl::OkStatus() : FileError(errno, path);
  return fsync(open.get()) == 0 ? absl::OkStatus() : FileError(errno, path);
}

absl::StatusOr<FileState> LookAt(int folder, const std::string& name, std::string_view shown) {
  Resolved at;
  at.path = shown;
  at.handle = OpenBeneath(folder, name, O_PATH | O_NOFOLLOW);
  FileState state;
  if (!at.handle.valid() && errno == ENOENT) return state;
  if (!at.handle.valid() || fstat(at.handle.get(), &at.stat) != 0) return FileError(errno, shown);
  state.kind = at.kind();
  if (state.kind == FileKind::kFile || state.kind == FileKind::kFolder) state.mode = at.stat.st_mode & 07777;
  if (state.kind == FileKind::kLink) {
    std::string target(kMaxPathBytes + 96, '\0');
    const ssize_t size = readlinkat(at.handle.get(), "", target.data(), target.size());
    if (size < 0) return FileError(errno, shown);
    target.resize(static_cast<size_t>(size));
    state.target = std::move(target);
  } else if (state.kind == FileKind::kFile) {
    ASSIGN_OR_RETURN(const Descriptor file, Directory::Reopen(at));
    ASSIGN_OR_RETURN(ContentDigest digest, DigestOf(file.get(), shown));
    state.size = digest.size;
    state.sha256 = std::move(digest.sha256);
  }
  return state;
}

int64_t BytesIn(int folder, const std::string& path) {
  const Descriptor at = OpenBeneath(folder, path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  const absl::StatusOr<std::vector<std::string>> names = NamesBelow(folder, path);
  int64_t total = 0;
  if (!at.valid() || !names.ok()) return total;
  for (const std::string& name : *names) {
    struct stat stat = {};
    if (fstatat(at.get(), name.c_str(), &stat, AT_SYMLINK_NOFOLLOW) == 0) total += stat.st_size;
  }
  return total;
}

}  // namespace

bool OnlyModeDiffers(const FileState& a, const FileState& b) {
  return a.kind == b.kind && a.size == b.size && a.sha256 == b.sha256 && a.target == b.target && a.mode != b.mode;
}

bool Matches(const FileState& found, const FileState& wanted) {
  if (found == wanted) return true;
  return wanted.kind == FileKind::kFolder && OnlyModeDiffers(found, wanted) &&
         found.mode == (wanted.mode | kOwnerRights);
}

absl::StatusOr<Staging> Staging::Open(const Directory& directory, std::string_view name) {
  if (!IsPlainName(name, kMaxName)) return absl::InternalError("a call's key is no plain name");
  ASSIGN_OR_RETURN(const Descriptor images, directory.OwnFolder(kImages));
  Descriptor folder = OpenBeneath(images.get(), name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (!folder.valid()) {
    ASSIGN_OR_RETURN(const Descriptor all, directory.OwnFolder(kStaging));
    if (mkdirat(all.get(), std::string(name).c_str(), kOwnerRights) != 0 && errno != EEXIST) {
      return FileError(errno, OwnPath(kStaging, name));
    }
    folder = OpenBeneath(all.get(), name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  }
  if (!folder.valid()) return FileError(errno, OwnPath(kStaging, name));
  return Staging(directory, std::string(name), std::move(folder));
}

absl::Status Staging::Unstage(size_t n) const {
  const std::string name = NameOfNumber(n);
  if (unlinkat(folder_.get(), name.c_str(), 0) == 0 || errno == ENOENT) return absl::OkStatus();
  if ((errno == EISDIR || errno == EPERM) && unlinkat(folder_.get(), name.c_str(), AT_REMOVEDIR) == 0) {
    return absl::OkStatus();
  }
  return FileError(errno, OwnPath(kStaging, name_));
}

absl::StatusOr<FileState> Staging::PutFile(size_t n, uint32_t mode, absl::FunctionRef<absl::Status(Sink)> feed) const {
  RETURN_IF_ERROR(Unstage(n));
  const std::string shown = OwnPath(kStaging, name_);
  const Descriptor file = OpenBeneath(folder_.get(), NameOfNumber(n), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file.valid()) return FileError(errno, shown);
  FileState state;
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  if (digest == nullptr || EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) != 1) {
    return absl::InternalError("SHA-256 cannot be computed");
  }
  RETURN_IF_ERROR(feed([&](std::string_view piece) {
    EVP_DigestUpdate(digest.get(), piece.data(), piece.size());
    state.size += static_cast<int64_t>(piece.size());
    return WriteAll(file.get(), shown, piece);
  }));
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_DigestFinal_ex(digest.get(), bytes, &length);
  state.kind = FileKind::kFile;
  state.mode = mode;
  state.sha256.assign(reinterpret_cast<const char*>(bytes), length);
  if (fchmod(file.get(), mode) != 0) return FileError(errno, shown);
  return state;
}

absl::Status Staging::PutLink(size_t n, std::string_view target) const {
  RETURN_IF_ERROR(Unstage(n));
  if (symlinkat(std::string(target).c_str(), folder_.get(), NameOfNumber(n).c_str()) == 0) return absl::OkStatus();
  return FileError(errno, OwnPath(kStaging, name_));
}

absl::Status Staging::PutFolder(size_t n, uint32_t mode) const {
  RETURN_IF_ERROR(Unstage(n));
  const std::string name = NameOfNumber(n);
  if (mkdirat(folder_.get(), name.c_str(), kOwnerRights) != 0) return FileError(errno, OwnPath(kStaging, name_));
  // Nobody else can change the service's own folder.
  if (fchmodat(folder_.get(), name.c_str(), mode, 0) != 0) return FileError(errno, OwnPath(kStaging, name_));
  return absl::OkStatus();
}

absl::Status Staging::PutRecord(const std::string& name, std::string_view content) const {
  const std::string shown = OwnPath(kStaging, name_);
  const Descriptor file = OpenBeneath(folder_.get(), name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  if (!file.valid()) return FileError(errno, shown);
  RETURN_IF_ERROR(WriteAll(file.get(), shown, content));
  return fsync(file.get()) == 0 ? absl::OkStatus() : FileError(errno, shown);
}

absl::StatusOr<std::string> Staging::ReadRecord(const std::string& name, int64_t max_bytes) const {
  const std::string shown = OwnPath(kStaging, name_);
  const Descriptor file = OpenBeneath(folder_.get(), name, O_RDONLY | O_NOFOLLOW);
  if (!file.valid()) return FileError(errno, shown);
  return ReadWhole(file.get(), shown, max_bytes);
}

absl::Status Staging::DropRecord(const std::string& name) const {
  if (unlinkat(folder_.get(), name.c_str(), 0) == 0) return SyncFolder(folder_.get(), "");
  return errno == ENOENT ? absl::OkStatus() : FileError(errno, OwnPath(kStaging, name_));
}

absl::StatusOr<FileState> Staging::Look(size_t n) const {
  return LookAt(folder_.get(), NameOfNumber(n), OwnPath(kStaging, name_));
}

absl::StatusOr<Descriptor> Staging::OpenStaged(size_t n) const {
  Descriptor file = OpenBeneath(folder_.get(), NameOfNumber(n), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file.valid()) return FileError(errno, OwnPath(kStaging, name_));
  return file;
}

absl::Status Staging::Sync() const {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesBelow(folder_.get(), ""));
  constexpr size_t kMaxOneByOne = 16;
  if (names.size() > kMaxOneByOne) {
    const Descriptor open = OpenBeneath(folder_.get(), "", O_RDONLY | O_DIRECTORY);
    if (!open.valid() || syncfs(open.get()) != 0) return FileError(errno, OwnPath(kStaging, name_));
    return absl::OkStatus();
  }
  for (const std::string& name : names) {
    struct stat stat = {};
    if (fstatat(folder_.get(), name.c_str(), &stat, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(stat.st_mode)) continue;
    Resolved at;
    at.path = OwnPath(kStaging, name_);
    at.stat = stat;
    at.handle = OpenBeneath(folder_.get(), name, O_PATH | O_NOFOLLOW);
    ASSIGN_OR_RETURN(const Descriptor file, Directory::Reopen(at));
    if (fsync(file.get()) != 0) return FileError(errno, at.path);
  }
  RETURN_IF_ERROR(SyncFolder(folder_.get(), ""));
  return SyncFolder(directory_->root(), OwnPath(kStaging));
}

absl::Status Staging::ChangeMode(std::string_view path, const FileState& from, uint32_t mode) const {
  ASSIGN_OR_RETURN(const FileState found, directory_->Look(path));
  if (!Matches(found, from) && !(OnlyModeDiffers(found, from) && found.mode == mode)) return Changed(path);
  const Descriptor at = OpenBeneath(directory_->root(), path, O_PATH | O_NOFOLLOW);
  struct stat stat = {};
  if (!at.valid() || fstat(at.get(), &stat) != 0) return FileError(errno, path);
  if (KindOf(stat.st_mode) != from.kind) return Changed(path);
  // Through the handle: no name is looked up again.
  if (chmod(absl::StrCat("/proc/self/fd/", at.get()).c_str(), mode) != 0) return FileError(errno, path);
  return absl::OkStatus();
}

void Staging::GiveAway(int parent, std::string_view path, const FileState& to, size_t n) const {
  if (geteuid() != 0) return;
  struct stat owner = {};
  if (fstatat(parent, std::string(NameOf(path)).c_str(), &owner, AT_SYMLINK_NOFOLLOW) != 0 &&
      fstat(parent, &owner) != 0) {
    return;
  }
  const std::string staged = NameOfNumber(n);
  if (fchownat(folder_.get(), staged.c_str(), owner.st_uid, owner.st_gid, AT_SYMLINK_NOFOLLOW) != 0) return;
  // A change of owner may take bits of the mode away.
  if (to.kind == FileKind::kFile) fchmodat(folder_.get(), staged.c_str(), to.mode, 0);
}

absl::Status Staging::Exchange(int parent, std::string_view path, const FileState& from, size_t n) const {
  const std::string name(NameOf(path));
  const std::string staged = NameOfNumber(n);
  const auto swap = [&] { return renameat2(folder_.get(), staged.c_str(), parent, name.c_str(), RENAME_EXCHANGE); };
  if (swap() != 0) return errno == ENOENT ? Changed(path) : RenameError(errno, path);
  directory_->Step("exchanged");
  absl::StatusOr<FileState> out = Look(n);
  bool expected = out.ok() && Matches(*out, from);
  // A folder is replaced only when it is empty; nothing of it is kept but its mode.
  if (expected && from.kind == FileKind::kFolder) {
    expected = unlinkat(folder_.get(), staged.c_str(), AT_REMOVEDIR) == 0;
  }
  if (expected) return absl::OkStatus();
  if (swap() != 0) return FileError(errno, path);
  return out.ok() ? Changed(path) : out.status();
}

absl::Status Staging::TakeOut(int parent, std::string_view path, const FileState& from, size_t n) const {
  const std::string name(NameOf(path));
  const std::string staged = NameOfNumber(n);
  if (from.kind == FileKind::kFolder) {
    if (unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0) return absl::OkStatus();
    return errno == ENOENT || errno == ENOTDIR || errno == ENOTEMPTY ? Changed(path) : FileError(errno, path);
  }
  if (renameat2(parent, name.c_str(), folder_.get(), staged.c_str(), RENAME_NOREPLACE) != 0) {
    return errno == ENOENT ? Changed(path) : RenameError(errno, path);
  }
  directory_->Step("taken out");
  const absl::StatusOr<FileState> out = Look(n);
  if (out.ok() && Matches(*out, from)) return absl::OkStatus();
  if (renameat2(folder_.get(), staged.c_str(), parent, name.c_str(), RENAME_NOREPLACE) != 0) {
    return FileError(errno, path);
  }
  return out.ok() ? Changed(path) : out.status();
}

absl::Status Staging::Move(std::string_view path, const FileState& from, const FileState& to, size_t n) const {
  if (from == to) return absl::OkStatus();
  if (OnlyModeDiffers(from, to)) return ChangeMode(path, from, to.mode);
  const absl::StatusOr<Descriptor> parent = directory_->OpenFolder(ParentOf(path));
  if (!parent.ok()) return GetToolError(parent.status()).has_value() ? Changed(path) : parent.status();
  if (to.kind == FileKind::kMissing) return TakeOut(parent->get(), path, from, n);
  if (to.kind == FileKind::kFolder) RETURN_IF_ERROR(PutFolder(n, to.mode | kOwnerRights));
  GiveAway(parent->get(), path, to, n);
  if (from.kind != FileKind::kMissing) return Exchange(parent->get(), path, from, n);
  if (renameat2(folder_.get(), NameOfNumber(n).c_str(), parent->get(), std::string(NameOf(path)).c_str(),
                RENAME_NOREPLACE) == 0) {
    return absl::OkStatus();
  }
  return errno == EEXIST ? Changed(path) : RenameError(errno, path);
}

absl::Status Staging::Remove() const { return RemoveStaged(*directory_, name_); }

absl::Status Staging::KeepAsImages(int64_t max_bytes) const {
  ASSIGN_OR_RETURN(const Descriptor staging, directory_->OwnFolder(kStaging));
  ASSIGN_OR_RETURN(const Descriptor images, directory_->OwnFolder(kImages));
  if (renameat2(staging.get(), name_.c_str(), images.get(), name_.c_str(), RENAME_NOREPLACE) != 0 && errno != ENOENT &&
      errno != EEXIST) {
    return FileError(errno, OwnPath(kImages, name_));
  }
  RETURN_IF_ERROR(SyncFolder(directory_->root(), OwnPath(kImages)));
  ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesBelow(images.get(), ""));
  struct Image {
    struct timespec changed;
    std::string name;
    int64_t bytes;
  };
  std::vector<Image> kept;
  int64_t total = 0;
  for (const std::string& name : names) {
    struct stat stat = {};
    if (fstatat(images.get(), name.c_str(), &stat, AT_SYMLINK_NOFOLLOW) != 0) continue;
    kept.push_back({stat.st_ctim, name, BytesIn(images.get(), name)});
    total += kept.back().bytes;
  }
  std::sort(kept.begin(), kept.end(), [](const Image& a, const Image& b) {
    return std::pair(a.changed.tv_sec, a.changed.tv_nsec) < std::pair(b.changed.tv_sec, b.changed.tv_nsec);
  });
  for (const Image& image : kept) {
    if (total <= max_bytes) break;
    if (image.name == name_) continue;
    RETURN_IF_ERROR(RemoveTree(images.get(), image.name));
    total -= image.bytes;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ListStaged(const Directory& directory) {
  ASSIGN_OR_RETURN(const Descriptor all, directory.OwnFolder(kStaging));
  return NamesBelow(all.get(), "");
}

absl::Status RemoveStaged(const Directory& directory, std::string_view name) {
  ASSIGN_OR_RETURN(const Descriptor all, directory.OwnFolder(kStaging));
  return RemoveTree(all.get(), std::string(name));
}

absl::StatusOr<Descriptor> OpenImage(const Directory& directory, std::string_view name, size_t n) {
  if (!IsPlainName(name, kMaxName)) return absl::InternalError("an image's id is no plain name");
  ASSIGN_OR_RETURN(const Descriptor images, directory.OwnFolder(kImages));
  Descriptor file = OpenBeneath(images.get(), JoinPath(name, NameOfNumber(n)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file.valid()) return FileError(errno, OwnPath(kImages, name));
  return file;
}

}  // namespace toolgate::executors::directory
