#include "executors/directory/secure_open.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/brief_section.h"
#include "common/file_names.h"
#include "executors/directory/path.h"

namespace toolgate::executors::directory {
namespace {

// The kernel answers EAGAIN when something was renamed while it walked.
constexpr int kMaxAttempts = 64;

}  // namespace

Descriptor OpenBeneath(int folder, std::string_view path, int flags, unsigned mode) {
  BriefSection::Note("a file");
  const std::string name(path.empty() ? std::string_view(".") : path);
  open_how how = {};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const auto fd = static_cast<int>(syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how));
    if (fd >= 0) return Descriptor(fd);
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return {};
}

absl::Status PathError(ErrorCode code, std::string_view path, std::string_view problem) {
  return ToStatus(FileNameError(code, ShownPath(path), problem));
}

namespace {

// Someone may make room.
absl::Status Full(std::string_view path) {
  ToolError error =
      FileNameError(ErrorCode::kQuotaExceeded, ShownPath(path), "cannot be written: the file system is full");
  error.retryable = true;
  return ToStatus(error);
}

}  // namespace

absl::Status FileError(int error, std::string_view path) {
  switch (error) {
    case ENOENT:
      return PathError(ErrorCode::kNotFound, path, "does not exist");
    case ENOTDIR:
      return PathError(ErrorCode::kNotFound, path, "does not exist, since something above it is not a folder");
    case EISDIR:
      return PathError(ErrorCode::kForbidden, path, "is a folder, not a file");
    case EXDEV:
      return PathError(ErrorCode::kForbidden, path, "leads out of the workspace's directory");
    case ELOOP:
    case EAGAIN:
    case EBUSY:
      return PathError(ErrorCode::kConflict, path, "is being changed by something else; try again");
    case EEXIST:
    case ENOTEMPTY:
      return PathError(ErrorCode::kConflict, path, "was created by something else meanwhile");
    case ENAMETOOLONG:
      return PathError(ErrorCode::kInvalidParams, path, "is too long a path for the file system");
    case EACCES:
    case EPERM:
    case EROFS:
      return PathError(ErrorCode::kExecutionError, path,
                       "is protected by its permissions: the service may not do this");
    case EDQUOT:
    case ENOSPC:
    case EFBIG:
      return Full(path);
    default:
      return absl::InternalError(absl::StrCat("\"", ShownPath(path), "\": ", std::generic_category().message(error)));
  }
}

}  // namespace toolgate::executors::directory
