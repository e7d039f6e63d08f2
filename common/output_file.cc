#include "common/output_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace toolgate {
namespace {

constexpr size_t kBuffer = 256 << 10;

absl::Status Failure(const std::string& what) {
  return absl::ErrnoToStatus(errno, what);  // Appends the meaning of errno.
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& path, bool replace) {
  std::error_code ignored;
  if (!replace && std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    return absl::AlreadyExistsError(absl::StrCat(path, " already exists; --force replaces it"));
  }
  std::string temporary = absl::StrCat(path, ".XXXXXX");
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return Failure(absl::StrCat("cannot create ", path));
  return std::unique_ptr<OutputFile>(new OutputFile(path, std::move(temporary), descriptor, replace));
}

OutputFile::OutputFile(std::string path, std::string temporary, int descriptor, bool replace)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor), replace_(replace) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!committed_) unlink(temporary_.c_str());
}

absl::Status OutputFile::Write(std::string_view bytes) {
  buffer_.append(bytes);
  return buffer_.size() < kBuffer ? absl::OkStatus() : Flush();
}

absl::Status OutputFile::Flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failure(absl::StrCat("cannot write ", path_));
    rest.remove_prefix(static_cast<size_t>(written));
  }
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status OutputFile::Commit() {
  RETURN_IF_ERROR(Flush());
  if (fsync(descriptor_) != 0) return Failure(absl::StrCat("cannot write ", path_));
  // Unless replacement is allowed, the rename itself checks, so that a file created in the meantime is not lost.
  const unsigned flags = replace_ ? 0 : RENAME_NOREPLACE;
  int moved = renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), flags);
  if (moved != 0 && errno == EINVAL)
    moved = rename(temporary_.c_str(), path_.c_str());  // The file system does not support the flag.
  if (moved != 0) return Failure(absl::StrCat("cannot create ", path_));
  committed_ = true;
  return SyncFolderOf(path_);
}

absl::Status SyncFolderOf(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return Failure(absl::StrCat("cannot open ", folder));
  const bool synced = fsync(descriptor) == 0;
  close(descriptor);
  return synced ? absl::OkStatus() : Failure(absl::StrCat("cannot sync ", folder));
}

}  // namespace toolgate
