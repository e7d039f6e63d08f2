#include "storage/blobs/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/descriptor.h"
#include "common/digest.h"
#include "common/ids.h"
#include "common/status_macros.h"

namespace toolgate::storage::blobs {
namespace {

constexpr size_t kRandomBytes = 12;

std::string FolderOf(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

absl::Status NoSuchBlob() { return absl::NotFoundError("has no such blob"); }

absl::Status SyncFolder(const std::string& path) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || fsync(folder.get()) != 0) return FileFailure(errno, "write");
  return absl::OkStatus();
}

absl::Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileFailure(errno, "write");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return fsync(fd) == 0 ? absl::OkStatus() : FileFailure(errno, "write");
}

}  // namespace

absl::Status FileFailure(int error, std::string_view doing) {
  const std::string message = absl::StrCat("cannot ", ToAbsl(doing), ": ", std::generic_category().message(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::ResourceExhaustedError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    default:
      return absl::UnavailableError(message);
  }
}

absl::Status WriteDurably(const std::string& path, std::string_view bytes) {
  const std::string folder = FolderOf(path);
  const std::string unfinished =
      absl::StrCat(folder, "/", ToAbsl(kUnfinished), HexEncode(IdSource::Real().RandomBytes(kRandomBytes)));
  const Descriptor file(open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return FileFailure(errno, "write");
  auto remove = absl::MakeCleanup([&unfinished] { unlink(unfinished.c_str()); });
  RETURN_IF_ERROR(WriteAll(file.get(), bytes));
  if (rename(unfinished.c_str(), path.c_str()) != 0) return FileFailure(errno, "write");
  std::move(remove).Cancel();
  return SyncFolder(folder);
}

absl::StatusOr<std::string> ReadWhole(const std::string& path, int64_t max_bytes) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid() && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) return NoSuchBlob();
  if (!file.valid()) return FileFailure(errno, "read");
  struct stat info = {};
  if (fstat(file.get(), &info) != 0) return FileFailure(errno, "read");
  if (!S_ISREG(info.st_mode)) return NoSuchBlob();
  if (info.st_size > max_bytes) return absl::OutOfRangeError("has a blob that is larger than that");
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t count = read(file.get(), bytes.data() + have, bytes.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileFailure(errno, "read");
    if (count == 0) break;
    have += static_cast<size_t>(count);
  }
  bytes.resize(have);
  return bytes;
}

absl::Status MakeFolders(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0) return SyncFolder(FolderOf(path));
  if (errno == EEXIST) return absl::OkStatus();
  if (errno != ENOENT) return FileFailure(errno, "make a folder");
  const std::string above = FolderOf(path);
  if (above.empty() || above == path) return FileFailure(ENOTDIR, "make a folder");
  RETURN_IF_ERROR(MakeFolders(above));
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return FileFailure(errno, "make a folder");
  return SyncFolder(above);
}

}  // namespace toolgate::storage::blobs
