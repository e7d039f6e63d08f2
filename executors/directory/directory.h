// A workspace's directory: the one way in which tools reach its files.
//
// Every access starts at the directory's descriptor and goes through openat2 with RESOLVE_BENEATH,
// RESOLVE_NO_MAGICLINKS, RESOLVE_NO_XDEV and RESOLVE_NO_SYMLINKS: no path, link or race leads out of it. Symbolic links
// inside are followed here, in user space, one component at a time, to a path without links; that path is checked
// against the deny list, and the descriptor that the walk ended with is the one that is used. So nothing is resolved
// twice. A link whose target is absolute or leads out is refused.
//
// Only regular files are opened. The kind is read from an O_PATH descriptor, which opens nothing; the file is then
// opened through that descriptor, so that a FIFO or device put in its place is never touched.
//
// Errors are ToolErrors that name the path: INVALID_PARAMS (no such form of a path), NOT_FOUND, FORBIDDEN (deny list,
// leads out, not a regular file), CONFLICT (it keeps changing), QUOTA_EXCEEDED, EXECUTION_ERROR (permissions of the
// service's user). A failing file system is an INTERNAL status without one.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_DIRECTORY_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_DIRECTORY_H_

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/descriptor.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "executors/directory/deny_list.h"
#include "executors/directory/file_state.h"
#include "executors/effect_session.h"

namespace toolgate::executors::directory {

// The folder of the service's own inside each directory; on the deny list.
inline constexpr std::string_view kOwnFolder = ".toolgate";

// The bounds of one directory, those of FilesSettings.
struct Limits {
  int64_t max_file_bytes;    // One file that a tool writes.
  int64_t max_total_bytes;   // All files together, without the service's own folder.
  int64_t max_inline_bytes;  // Pre-images of one call that are kept in the store.
  int64_t max_image_bytes;   // Pre-images of all calls that are kept beside it.
};

class Directory;

// The right to change a directory; ends with the object. Movable; must end before the directory does.
class DirectoryLock {
 public:
  DirectoryLock() = default;
  DirectoryLock(DirectoryLock&& other) noexcept
      : directory_(std::exchange(other.directory_, nullptr)), file_(std::move(other.file_)) {}
  DirectoryLock& operator=(DirectoryLock&& other) noexcept {
    std::swap(directory_, other.directory_);
    file_ = std::move(other.file_);
    return *this;
  }
  ~DirectoryLock();

 private:
  friend class Directory;
  explicit DirectoryLock(Directory& directory) : directory_(&directory) {}

  Directory* directory_ = nullptr;
  Descriptor file_;  // Holds the lock among processes (flock).
};

// A path that was resolved: free of links.
struct Resolved {
  std::string path;       // Canonical.
  Descriptor handle;      // O_PATH; not valid when nothing is there.
  struct stat stat = {};  // Of the handle.

  FileKind kind() const { return handle.valid() ? KindOf(stat.st_mode) : FileKind::kMissing; }
};

// A regular file, open for reading.
struct OpenFile {
  std::string path;  // Canonical.
  Descriptor file;
  struct stat stat = {};
};

struct WalkEntry {
  std::string path;
  FileKind kind = FileKind::kMissing;
  struct stat stat = {};
  bool is_denied = false;        // Covered by the deny list, in a walk that marks such paths.
  bool is_out_of_reach = false;  // See IsOutOfReach. A folder that is has not been looked into, and is not visited.
};
enum class WalkStep { kContinue, kSkipFolder, kStop };
// The treatment of paths that the deny list covers.
enum class WalkDenied { kSkip, kMark, kIgnore };

// Thread-safe, also among processes: changes are made under Lock.
class Directory {
 public:
  // Opens the folder `path` of the machine, which must exist. FAILED_PRECONDITION with the reason when it cannot be
  // served: no folder, no openat2, no /proc.
  static absl::StatusOr<std::shared_ptr<Directory>> Open(const std::string& path, DenyList deny_list, Limits limits);
  // As above, of an open folder.
  static absl::StatusOr<std::shared_ptr<Directory>> Open(Descriptor root, const std::string& path, DenyList deny_list,
                                                         Limits limits);

  // Of the machine, for mounting it.
  const std::string& path() const { return path_; }
  int root() const { return root_.get(); }
  const Limits& limits() const { return limits_; }
  const DenyList& deny_list() const { return deny_list_; }

  // Of a canonical path; links in it are followed, and the last component as `last` says.
  enum class LastLink { kFollow, kKeep };
  absl::StatusOr<Resolved> Resolve(std::string_view path, LastLink last = LastLink::kFollow) const;
  // FORBIDDEN when the deny list covers the canonical path.
  absl::Status CheckAllowed(std::string_view path) const;
  // Whether there is something at `path`, as one look tells; links are not followed. True when it cannot be told.
  bool MayHave(std::string_view path) const;
  // Resolves, checks the deny list, and opens a regular file.
  absl::StatusOr<OpenFile> OpenToRead(std::string_view path) const;
  // Opens what a handle stands for, which must be a regular file.
  static absl::StatusOr<Descriptor> Reopen(const Resolved& resolved);

  // The present state of a path without links, by its bytes. Does not ask the deny list.
  absl::StatusOr<FileState> Look(std::string_view path,
                                 const fibers::Cancellation& cancellation = fibers::Cancellation()) const;
  // The folder of a path without links, as O_PATH descriptor; `path` "" is the directory itself. NOT_FOUND.
  absl::StatusOr<Descriptor> OpenFolder(std::string_view path) const;

  // Calls `visit` for each path below a folder, "" for all, folders before what is in them, in no order beyond that,
  // without following links. A folder that vanishes or may not be read is skipped; one that is out of reach is visited,
  // but not what is below it. Asks `cancellation` at each path.
  using Visit = absl::FunctionRef<WalkStep(const WalkEntry&)>;
  absl::Status Walk(std::string_view folder, WalkDenied denied, const fibers::Cancellation& cancellation,
                    Visit visit) const;

  // Waits for the lock through the session: holds no thread meanwhile. CANCELLED or TIMEOUT when the call must stop.
  absl::StatusOr<DirectoryLock> Lock(EffectSession& session) ABSL_LOCKS_EXCLUDED(mutex_);

  // A time stamp of the directory's file system: the ctime of what was changed before is earlier, of what is changed
  // later not. Takes some milliseconds where the clock of the file system is coarse.
  absl::StatusOr<struct timespec> Stamp();

  // QUOTA_EXCEEDED when the files together would hold `added` bytes more than they may. Counts them when that is not
  // known well enough.
  absl::Status CheckRoom(int64_t added, const fibers::Cancellation& cancellation) ABSL_LOCKS_EXCLUDED(mutex_);
  // Corrects the count after a change.
  void CountChange(int64_t added) ABSL_LOCKS_EXCLUDED(mutex_);

  // The service's own folder, or one in it, made on demand (mode 0700), as O_PATH descriptor. NOT_CONFIGURED, with the
  // remedy, when something else is there: a link, or a folder that belongs to another user or is open to one. A user
  // who made that could read and replace what changes of files rely on.
  absl::StatusOr<Descriptor> OwnFolder(std::string_view name = "") const;

  // Called at each step of a change, with its name: a test may end the process there. Set before the first change.
  void OnStep(std::function<void(std::string_view)> on_step) { on_step_ = std::move(on_step); }
  void Step(std::string_view name) const {
    if (on_step_ != nullptr) on_step_(name);
  }

 private:
  friend class DirectoryLock;

  Directory(Descriptor root, std::string path, DenyList deny_list, Limits limits);

  absl::StatusOr<Resolved> ResolveOnce(std::string_view path, LastLink last) const;
  absl::StatusOr<int64_t> CountBytes(const fibers::Cancellation& cancellation) const;
  // Whether the lock among the threads of this process was free; otherwise `event` is set when it becomes so.
  bool TakeOrQueue(fibers::Event& event) ABSL_LOCKS_EXCLUDED(mutex_);
  void Unlock() ABSL_LOCKS_EXCLUDED(mutex_);

  const Descriptor root_;
  const std::string path_;
  const DenyList deny_list_;
  const Limits limits_;
  std::function<void(std::string_view)> on_step_;
  absl::Mutex mutex_;
  bool locked_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<fibers::Event*> waiters_ ABSL_GUARDED_BY(mutex_);
  int64_t total_ ABSL_GUARDED_BY(mutex_) = -1;  // Not counted yet.
  absl::Time counted_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

// Whether this kernel, with the filters around this process, has what a Directory needs; FAILED_PRECONDITION says what
// is missing.
absl::Status CheckSupport();

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_DIRECTORY_H_
