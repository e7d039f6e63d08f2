#include "executors/directory/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <system_error>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/directory/content.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"
#include "storage/undo_bound.h"

namespace toolgate::executors::directory {
namespace {

// As the kernel has it.
constexpr int kMaxLinks = 40;
// Components that are looked up for one path, those of links included.
constexpr int kMaxSteps = 1000;
// A path may be changed while it is resolved; then it is resolved anew.
constexpr int kMaxResolutions = 16;
constexpr absl::Duration kLockPoll = absl::Milliseconds(20);
// Files also change without toolgate.
constexpr absl::Duration kRecount = absl::Minutes(10);
constexpr mode_t kOwnMode = 0700;
constexpr mode_t kOthersRights = 0077;

absl::Status Forbidden(std::string_view path, std::string_view problem) {
  return PathError(ErrorCode::kForbidden, path, problem);
}

absl::Status LeadsOut(std::string_view path) {
  return Forbidden(path, "is a symbolic link that leads out of the workspace's directory");
}

absl::StatusOr<std::string> TargetOf(const Descriptor& link, std::string_view path) {
  std::array<char, PATH_MAX> target;
  const ssize_t size = readlinkat(link.get(), "", target.data(), target.size());
  if (size < 0) return FileError(errno, path);
  if (static_cast<size_t>(size) == target.size()) return FileError(ENAMETOOLONG, path);
  return std::string(target.data(), static_cast<size_t>(size));
}

absl::Status StatOf(int fd, std::string_view path, struct stat& stat) {
  return fstat(fd, &stat) == 0 ? absl::OkStatus() : FileError(errno, path);
}

absl::Status TooDeep(std::string_view path) {
  return PathError(
      ErrorCode::kInvalidParams, path,
      absl::StrCat("leads to a path of more than ", kMaxComponents, " components, the most that tools take"));
}

std::string ProcPath(int fd) { return absl::StrCat("/proc/self/fd/", fd); }

// Walks a path in user space: the components done, of which none is a link, and those still to do.
class LinkWalk {
 public:
  LinkWalk(int root, std::string_view path, Directory::LastLink last) : root_(root), written_(path), last_(last) {
    Push(path);
  }

  absl::StatusOr<Resolved> Run() {
    Resolved at;
    while (!rest_.empty()) {
      if (++steps_ > kMaxSteps) return Forbidden(written_, "goes through too many symbolic links");
      const std::string name = std::move(rest_.back());
      rest_.pop_back();
      if (name == "..") {
        if (done_.empty()) return LeadsOut(written_);
        done_.pop_back();
        continue;
      }
      done_.push_back(name);
      if (done_.size() > kMaxComponents) return TooDeep(written_);
      at = Resolved();
      at.path = Done();
      at.handle = OpenBeneath(root_, at.path, O_PATH | O_NOFOLLOW);
      if (!at.handle.valid() && errno == ENOENT) return Missing();
      if (!at.handle.valid()) return FileError(errno, written_);
      RETURN_IF_ERROR(StatOf(at.handle.get(), written_, at.stat));
      const bool follow = !rest_.empty() || last_ == Directory::LastLink::kFollow;
      if (at.kind() == FileKind::kLink && follow) RETURN_IF_ERROR(Follow(at.handle));
    }
    return Finish(std::move(at));
  }

 private:
  std::string Done() const {
    std::string path;
    for (const std::string& name : done_) path = JoinPath(path, name);
    return path;
  }
  void Push(std::string_view path) {
    const std::vector<std::string_view> names = ComponentsOf(path);
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      if (!name->empty() && *name != ".") rest_.emplace_back(*name);
    }
  }
  absl::Status Follow(const Descriptor& link) {
    if (++links_ > kMaxLinks) return Forbidden(written_, "goes through too many symbolic links");
    ASSIGN_OR_RETURN(const std::string target, TargetOf(link, written_));
    if (target.empty() || target.front() == '/') return LeadsOut(written_);
    done_.pop_back();
    Push(target);
    return absl::OkStatus();
  }
  // Ends at a component that does not exist: nothing below it exists either.
  absl::StatusOr<Resolved> Missing() {
    for (; !rest_.empty(); rest_.pop_back()) {
      if (rest_.back() == "..") return FileError(ENOENT, written_);
      done_.push_back(rest_.back());
    }
    if (done_.size() > kMaxComponents) return TooDeep(written_);
    Resolved missing;
    missing.path = Done();
    return missing;
  }
  // A walk that ended with ".." or in a link to ".": what is there must be opened yet.
  absl::StatusOr<Resolved> Finish(Resolved at) const {
    const std::string path = Done();
    if (at.handle.valid() && at.path == path && at.kind() != FileKind::kLink) return at;
    if (at.handle.valid() && at.path == path && last_ == Directory::LastLink::kKeep) return at;
    Resolved found;
    found.path = path;
    found.handle = OpenBeneath(root_, path, O_PATH | O_NOFOLLOW);
    if (!found.handle.valid()) return FileError(errno, written_);
    RETURN_IF_ERROR(StatOf(found.handle.get(), written_, found.stat));
    return found;
  }

  const int root_;
  const std::string_view written_;
  const Directory::LastLink last_;
  std::vector<std::string> done_;
  std::vector<std::string> rest_;  // The next one last.
  int links_ = 0;
  int steps_ = 0;
};

// One walk below a folder.
class FolderWalk {
 public:
  FolderWalk(int root, const DenyList& deny_list, WalkDenied denied, const fibers::Cancellation& cancellation,
             Directory::Visit visit)
      : root_(root), deny_list_(deny_list), denied_(denied), cancellation_(cancellation), visit_(visit) {}

  absl::Status Run(std::string_view top) {
    pending_.push_back({std::string(top), deny_list_.StateOf(top)});
    while (!pending_.empty() && !stopped_) {
      const Folder next = std::move(pending_.back());
      pending_.pop_back();
      RETURN_IF_ERROR(VisitNames(next));
    }
    return absl::OkStatus();
  }

 private:
  struct Folder {
    std::string path;
    DenyList::State state;
  };

  absl::Status VisitNames(const Folder& folder) {
    Descriptor open = OpenBeneath(root_, folder.path, O_RDONLY | O_DIRECTORY);
    if (!open.valid()) return folder.path.empty() ? FileError(errno, ".") : absl::OkStatus();
    const std::unique_ptr<DIR, int (*)(DIR*)> names(fdopendir(open.get()), closedir);
    if (names == nullptr) return FileError(errno, folder.path);
    open.Release();
    while (const dirent* const found = stopped_ ? nullptr : readdir(names.get())) {
      RETURN_IF_ERROR(cancellation_.Check());
      const std::string_view name = found->d_name;
      if (name != "." && name != "..") VisitName(folder, dirfd(names.get()), found->d_name);
    }
    return absl::OkStatus();
  }

  void VisitName(const Folder& folder, int open, const char* name) {
    DenyList::State state;
    if (denied_ != WalkDenied::kIgnore) state = deny_list_.Step(folder.state, name);
    if (denied_ == WalkDenied::kSkip && state.is_denied()) return;
    WalkEntry entry;
    if (fstatat(open, name, &entry.stat, AT_SYMLINK_NOFOLLOW) != 0) return;
    entry.path = JoinPath(folder.path, name);
    entry.kind = KindOf(entry.stat.st_mode);
    entry.is_denied = state.is_denied();
    entry.is_out_of_reach = IsOutOfReach(entry.path);
    const WalkStep step = visit_(entry);
    stopped_ = step == WalkStep::kStop;
    const bool enters = entry.kind == FileKind::kFolder && step == WalkStep::kContinue && !entry.is_out_of_reach;
    if (enters) pending_.push_back({std::move(entry.path), std::move(state)});
  }

  const int root_;
  const DenyList& deny_list_;
  const WalkDenied denied_;
  const fibers::Cancellation& cancellation_;
  const Directory::Visit visit_;
  std::vector<Folder> pending_;
  bool stopped_ = false;
};

// A folder of the service's own is refused: `problem` completes "it …".
absl::Status NotOwn(std::string_view path, std::string_view problem) {
  return MakeError(
      ErrorCode::kNotConfigured,
      absl::StrCat("files cannot be changed: \"", ToAbsl(path),
                   "\" in the workspace's directory must be a folder of the service's own, but it ", ToAbsl(problem),
                   ", so that another user could read and replace what it holds; an operator must remove it, and the "
                   "service makes its own"));
}

// Whether a folder of the service's own is as the service makes it.
absl::Status CheckOwn(int folder, std::string_view path) {
  struct stat stat = {};
  RETURN_IF_ERROR(StatOf(folder, path, stat));
  if (stat.st_uid != geteuid())
    return NotOwn(path, absl::StrCat("belongs to user ", stat.st_uid, ", not to user ", geteuid()));
  if ((stat.st_mode & kOthersRights) == 0) return absl::OkStatus();
  return NotOwn(path, absl::StrFormat("has the mode %04o instead of 0700", stat.st_mode & 07777));
}

// Keeps the service's own folder, and this file, out of what version control shows. A file that is there is left alone.
void IgnoreInGit(int folder) {
  const Descriptor file = OpenBeneath(folder, ".gitignore", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (file.valid()) WriteAll(file.get(), ".gitignore", "*\n").IgnoreError();
}

bool Before(const struct timespec& a, const struct timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

absl::Status Unsupported(const char* problem) { return absl::FailedPreconditionError(problem); }

}  // namespace

absl::Status CheckSupport() {
  const Descriptor top(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Descriptor root = OpenBeneath(top.get(), ".", O_PATH | O_DIRECTORY);
  if (!root.valid()) {
    return Unsupported(
        "this kernel, or a filter around the service, has no openat2, without which files cannot be "
        "reached safely; use Linux 5.6 or newer");
  }
  const Descriptor through(open(ProcPath(root.get()).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!through.valid()) return Unsupported("/proc is not mounted, without which files cannot be opened safely");
  return absl::OkStatus();
}

DirectoryLock::~DirectoryLock() {
  file_ = Descriptor();
  if (directory_ != nullptr) directory_->Unlock();
}

Directory::Directory(Descriptor root, std::string path, DenyList deny_list, Limits limits)
    : root_(std::move(root)), path_(std::move(path)), deny_list_(std::move(deny_list)), limits_(limits) {}

absl::StatusOr<std::shared_ptr<Directory>> Directory::Open(const std::string& path, DenyList deny_list, Limits limits) {
  Descriptor root(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the folder ", path, " cannot be opened: ", std::generic_category().message(errno)));
  }
  return Open(std::move(root), path, std::move(deny_list), limits);
}

absl::StatusOr<std::shared_ptr<Directory>> Directory::Open(Descriptor root, const std::string& path, DenyList deny_list,
                                                           Limits limits) {
  RETURN_IF_ERROR(CheckSupport());
  return absl::WrapUnique(new Directory(std::move(root), path, std::move(deny_list), limits));
}

absl::StatusOr<Resolved> Directory::ResolveOnce(std::string_view path, LastLink last) const {
  Resolved direct;
  direct.handle = OpenBeneath(root(), path, O_PATH | O_NOFOLLOW);
  if (direct.handle.valid()) {
    RETURN_IF_ERROR(StatOf(direct.handle.get(), path, direct.stat));
    direct.path = path;
    if (direct.kind() != FileKind::kLink || last == LastLink::kKeep) return direct;
  } else if (errno != ELOOP && errno != ENOENT) {
    return FileError(errno, path);
  }
  return LinkWalk(root(), path, last).Run();
}

absl::StatusOr<Resolved> Directory::Resolve(std::string_view path, LastLink last) const {
  if (!path.empty() && !IsCanonical(path)) return absl::InternalError("a path was used that nobody has parsed");
  absl::StatusOr<Resolved> resolved = ResolveOnce(path, last);
  for (int attempt = 1; attempt < kMaxResolutions; ++attempt) {
    const std::optional<ToolError> error = GetToolError(resolved.status());
    if (!error.has_value() || error->code != ErrorCode::kConflict) break;
    resolved = ResolveOnce(path, last);
  }
  return resolved;
}

absl::Status Directory::CheckAllowed(std::string_view path) const {
  const std::optional<std::string_view> pattern = deny_list_.Find(path);
  if (!pattern.has_value()) return absl::OkStatus();
  return Forbidden(
      path, absl::StrCat("is on the deny list (\"", ToAbsl(*pattern), "\"): tools may neither read nor change it"));
}

absl::StatusOr<Descriptor> Directory::Reopen(const Resolved& resolved) {
  if (!resolved.handle.valid()) return FileError(ENOENT, resolved.path);
  if (resolved.kind() == FileKind::kFolder) return FileError(EISDIR, resolved.path);
  if (resolved.kind() != FileKind::kFile) return Forbidden(resolved.path, "is a special file, not a regular one");
  // Opens the very file that the handle stands for, which is a regular one: no name is looked up again.
  Descriptor file(open(ProcPath(resolved.handle.get()).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.valid()) return FileError(errno, resolved.path);
  struct stat opened = {};
  RETURN_IF_ERROR(StatOf(file.get(), resolved.path, opened));
  if (opened.st_dev != resolved.stat.st_dev || opened.st_ino != resolved.stat.st_ino) {
    return absl::InternalError("/proc does not lead to the file that was opened");
  }
  return file;
}

absl::StatusOr<OpenFile> Directory::OpenToRead(std::string_view path) const {
  ASSIGN_OR_RETURN(const Resolved resolved, Resolve(path));
  RETURN_IF_ERROR(CheckAllowed(resolved.path));
  if (!resolved.handle.valid()) return FileError(ENOENT, path);
  OpenFile open;
  open.path = resolved.path;
  ASSIGN_OR_RETURN(open.file, Reopen(resolved));
  RETURN_IF_ERROR(StatOf(open.file.get(), path, open.stat));
  return open;
}

absl::StatusOr<FileState> Directory::Look(std::string_view path, const fibers::Cancellation& cancellation) const {
  Resolved at;
  at.path = path;
  at.handle = OpenBeneath(root(), path, O_PATH | O_NOFOLLOW);
  FileState state;
  // Nothing is below a link either: a path has no links in it.
  if (!at.handle.valid() && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) return state;
  if (!at.handle.valid()) return FileError(errno, path);
  RETURN_IF_ERROR(StatOf(at.handle.get(), path, at.stat));
  state.kind = at.kind();
  if (state.kind == FileKind::kFile || state.kind == FileKind::kFolder) state.mode = at.stat.st_mode & 07777;
  if (state.kind == FileKind::kLink) {
    ASSIGN_OR_RETURN(state.target, TargetOf(at.handle, path));
  } else if (state.kind == FileKind::kFile) {
    ASSIGN_OR_RETURN(const Descriptor file, Reopen(at));
    ASSIGN_OR_RETURN(ContentDigest digest, DigestOf(file.get(), path, cancellation));
    state.size = digest.size;
    state.sha256 = std::move(digest.sha256);
  }
  return state;
}

absl::StatusOr<Descriptor> Directory::OpenFolder(std::string_view path) const {
  Descriptor folder = OpenBeneath(root(), path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (!folder.valid()) return FileError(errno, path);
  return folder;
}

bool Directory::MayHave(std::string_view path) const {
  return OpenBeneath(root(), std::string(path), O_PATH | O_NOFOLLOW).valid() || errno != ENOENT;
}

absl::Status Directory::Walk(std::string_view folder, WalkDenied denied, const fibers::Cancellation& cancellation,
                             Visit visit) const {
  return FolderWalk(root(), deny_list_, denied, cancellation, visit).Run(folder);
}

bool Directory::TakeOrQueue(fibers::Event& event) {
  const absl::MutexLock lock(&mutex_);
  if (locked_) {
    waiters_.push_back(&event);
    return false;
  }
  locked_ = true;
  return true;
}

void Directory::Unlock() {
  const absl::MutexLock lock(&mutex_);
  locked_ = false;
  if (waiters_.empty()) return;
  waiters_.front()->Set();
  waiters_.pop_front();
}

absl::StatusOr<DirectoryLock> Directory::Lock(EffectSession& session) {
  fibers::Event event;
  while (!TakeOrQueue(event)) {
    const absl::StatusOr<bool> waited = session.Wait(event);
    const absl::MutexLock lock(&mutex_);
    const auto queued = std::find(waiters_.begin(), waiters_.end(), &event);
    if (queued != waiters_.end()) waiters_.erase(queued);
    if (!waited.ok()) {
      // The turn that this call was given goes to the next one.
      if (event.IsSet() && !locked_ && !waiters_.empty()) {
        waiters_.front()->Set();
        waiters_.pop_front();
      }
      return waited.status();
    }
    event.Reset();
  }
  DirectoryLock lock(*this);
  ASSIGN_OR_RETURN(const Descriptor own, OwnFolder());
  lock.file_ = OpenBeneath(own.get(), "lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  if (!lock.file_.valid()) return FileError(errno, absl::StrCat(ToAbsl(kOwnFolder), "/lock"));
  while (flock(lock.file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return FileError(errno, absl::StrCat(ToAbsl(kOwnFolder), "/lock"));
    fibers::Event never;
    RETURN_IF_ERROR(session.Wait(never, kLockPoll).status());
  }
  return lock;
}

absl::StatusOr<struct timespec> Directory::Stamp() {
  ASSIGN_OR_RETURN(const Descriptor own, OwnFolder());
  const Descriptor file = OpenBeneath(own.get(), "stamp", O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  const std::string name = absl::StrCat(ToAbsl(kOwnFolder), "/stamp");
  if (!file.valid()) return FileError(errno, name);
  struct stat first = {};
  struct stat stat = {};
  do {
    if (futimens(file.get(), nullptr) != 0) return FileError(errno, name);
    RETURN_IF_ERROR(StatOf(file.get(), name, stat));
    if (first.st_ctim.tv_sec == 0) first = stat;
  } while (!Before(first.st_ctim, stat.st_ctim));
  return stat.st_ctim;
}

absl::StatusOr<int64_t> Directory::CountBytes(const fibers::Cancellation& cancellation) const {
  int64_t total = 0;
  RETURN_IF_ERROR(Walk("", WalkDenied::kIgnore, cancellation, [&](const WalkEntry& entry) {
    if (entry.path == kOwnFolder) return WalkStep::kSkipFolder;
    if (entry.kind == FileKind::kFile) total += entry.stat.st_size;
    return WalkStep::kContinue;
  }));
  return total;
}

absl::Status Directory::CheckRoom(int64_t added, const fibers::Cancellation& cancellation) {
  if (added <= 0) return absl::OkStatus();
  const absl::Time now = absl::Now();
  {
    const absl::MutexLock lock(&mutex_);
    const bool known = total_ >= 0 && now - counted_at_ < kRecount;
    if (known && total_ + added <= limits_.max_total_bytes) return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const int64_t total, CountBytes(cancellation));
  {
    const absl::MutexLock lock(&mutex_);
    total_ = total;
    counted_at_ = now;
  }
  if (total + added <= limits_.max_total_bytes) return absl::OkStatus();
  ToolError error;
  error.code = ErrorCode::kQuotaExceeded;
  error.message = absl::StrCat("the workspace's files hold ", storage::FormatBytes(total), " and may hold ",
                               storage::FormatBytes(limits_.max_total_bytes), "; this would add ",
                               storage::FormatBytes(added), ": remove files first");
  return ToStatus(error);
}

void Directory::CountChange(int64_t added) {
  const absl::MutexLock lock(&mutex_);
  if (total_ >= 0) total_ = std::max(int64_t{0}, total_ + added);
}

absl::StatusOr<Descriptor> Directory::OwnFolder(std::string_view name) const {
  std::string path;
  Descriptor folder;
  for (const std::string_view part : {kOwnFolder, name}) {
    if (part.empty()) continue;
    const int parent = path.empty() ? root() : folder.get();
    path = JoinPath(path, part);
    if (mkdirat(parent, std::string(part).c_str(), kOwnMode) != 0 && errno != EEXIST) return FileError(errno, path);
    // By its name in what was checked: what a path leads to may have been replaced since.
    Descriptor inner = OpenBeneath(parent, part, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!inner.valid() && (errno == ELOOP || errno == ENOTDIR)) return NotOwn(path, "is a symbolic link or a file");
    if (!inner.valid() && errno == EXDEV) return NotOwn(path, "is a mount point");
    if (!inner.valid()) return FileError(errno, path);
    RETURN_IF_ERROR(CheckOwn(inner.get(), path));
    if (path == kOwnFolder) IgnoreInGit(inner.get());
    folder = std::move(inner);
  }
  return folder;
}

}  // namespace toolgate::executors::directory
