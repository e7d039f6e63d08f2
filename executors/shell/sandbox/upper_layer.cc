#include "executors/shell/sandbox/upper_layer.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"

namespace toolgate::executors::shell::sandbox {
namespace {

constexpr char kOpaque[] = "user.overlay.opaque";

absl::Status Failed(std::string_view attempt, std::string_view path) {
  return absl::InternalError(absl::StrCat("cannot ", std::string(attempt), " ", directory::ShownPath(path),
                                          " of an upper layer: ", std::strerror(errno)));
}

bool IsWhiteout(const struct stat& entry) { return S_ISCHR(entry.st_mode) && entry.st_rdev == makedev(0, 0); }

EntryKind KindOf(const struct stat& entry) {
  if (S_ISREG(entry.st_mode)) return EntryKind::kFile;
  if (S_ISDIR(entry.st_mode)) return EntryKind::kFolder;
  if (S_ISLNK(entry.st_mode)) return EntryKind::kLink;
  return IsWhiteout(entry) ? EntryKind::kRemoved : EntryKind::kSpecial;
}

bool IsOpaque(int folder) {
  char value = 0;
  return fgetxattr(folder, kOpaque, &value, 1) == 1 && value == 'y';
}

class Reader {
 public:
  Reader(int64_t max_entries, const fibers::Cancellation& cancellation)
      : max_entries_(max_entries), cancellation_(cancellation) {}

  // Adds what is in an open folder.
  absl::Status ReadFolder(int folder, const std::string& path) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder, path));
    for (const std::string& name : names) {
      RETURN_IF_ERROR(ReadEntry(folder, name, directory::JoinPath(path, name)));
    }
    return absl::OkStatus();
  }

  std::vector<UpperEntry> Take() { return std::move(entries_); }

 private:
  absl::StatusOr<std::vector<std::string>> NamesIn(int folder, const std::string& path) const {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(
        fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), closedir);
    if (entries == nullptr) return Failed("list", path);
    std::vector<std::string> names;
    while (const dirent* entry = readdir(entries.get())) {
      if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
      names.emplace_back(entry->d_name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  absl::Status ReadEntry(int folder, const std::string& name, const std::string& path) {
    RETURN_IF_ERROR(cancellation_.Check());
    struct stat found {};
    if (fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return Failed("look at", path);
    if (static_cast<int64_t>(entries_.size()) >= max_entries_) {
      return absl::ResourceExhaustedError(absl::StrCat("more than ", max_entries_, " files and folders have changed"));
    }
    UpperEntry entry;
    entry.path = path;
    entry.kind = KindOf(found);
    entry.mode = static_cast<uint32_t>(found.st_mode & 07777);
    if (entry.kind == EntryKind::kFolder) return ReadInner(folder, name, std::move(entry));
    if (entry.kind == EntryKind::kFile) {
      entry.size = found.st_size;
      entry.is_shared = found.st_nlink > 1;
    }
    if (entry.kind == EntryKind::kLink) {
      ASSIGN_OR_RETURN(entry.target, TargetOf(folder, name, path));
    }
    entries_.push_back(std::move(entry));
    return absl::OkStatus();
  }

  absl::Status ReadInner(int folder, const std::string& name, UpperEntry entry) {
    constexpr uint32_t kReadable = 0700;
    if ((entry.mode & kReadable) != kReadable) fchmodat(folder, name.c_str(), entry.mode | kReadable, 0);
    const Descriptor inner(openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner.valid()) return Failed("open", entry.path);
    entry.replaces = IsOpaque(inner.get());
    const std::string path = entry.path;
    entries_.push_back(std::move(entry));
    return directory::IsOutOfReach(path) ? absl::OkStatus() : ReadFolder(inner.get(), path);
  }

  static absl::StatusOr<std::string> TargetOf(int folder, const std::string& name, const std::string& path) {
    char target[PATH_MAX];
    const ssize_t size = readlinkat(folder, name.c_str(), target, sizeof(target));
    if (size < 0) return Failed("read the link", path);
    return std::string(target, static_cast<size_t>(size));
  }

  const int64_t max_entries_;
  const fibers::Cancellation& cancellation_;
  std::vector<UpperEntry> entries_;
};

}  // namespace

absl::StatusOr<std::vector<UpperEntry>> ReadUpperLayer(int upper, int64_t max_entries,
                                                       const fibers::Cancellation& cancellation) {
  Reader reader(max_entries, cancellation);
  RETURN_IF_ERROR(reader.ReadFolder(upper, ""));
  return reader.Take();
}

absl::StatusOr<Descriptor> OpenUpperFile(int upper, std::string_view path) {
  Descriptor file = directory::OpenBeneath(upper, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (file.valid()) return file;
  if (errno != EACCES) return Failed("open", path);
  // Nothing of the command runs any more: the name stands for the same file.
  if (fchmodat(upper, std::string(path).c_str(), 0600, 0) != 0) return Failed("open", path);
  file = directory::OpenBeneath(upper, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file.valid()) return Failed("open", path);
  return file;
}

}  // namespace toolgate::executors::shell::sandbox
