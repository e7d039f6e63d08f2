// The launcher: builds the sandbox of one command and watches over it. A program of its own, since a process with
// threads must not fork without an exec, and since the mounts of a sandbox are its own matter.
//
//   service ── launcher (outer) ── launcher (init of a new pid namespace) ── bubblewrap ── the command
//
// The outer process makes user, mount, pid and network namespaces, and waits. The inner one is process 1 there: it
// mounts the scratch space and the overlay, starts bubblewrap, which makes the namespaces of the command itself, and
// watches time, memory, processes and disk. When it ends, for whatever reason, the kernel kills all that runs in its
// pid namespace: nothing outlives a command. It ends when the service closes the control socket, which the kernel does
// too when the service dies. Single-threaded; uses only the C library.
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>

#include "executors/shell/launcher/job.h"
#include "executors/shell/launcher/pass_descriptor.h"
#include "executors/shell/launcher/protect.h"
#include "executors/shell/launcher/renames.h"
#include "executors/shell/launcher/usage.h"

namespace toolgate::executors::shell::launcher {
namespace {

// --- reports --------------------------------------------------------------------------------------------------------

void Send(const Report& report, int descriptor = -1) {
  SendDescriptor(kControlFd, &report, sizeof(report), descriptor);
}

[[noreturn]] void Fail(const char* step) {
  Report report;
  report.value = errno;
  std::strncpy(report.step, step, sizeof(report.step) - 1);
  Send(report);
  _exit(1);
}

void Require(bool done, const char* step) {
  if (!done) Fail(step);
}

// --- the job --------------------------------------------------------------------------------------------------------

// Walks through the texts behind a job.
class Texts {
 public:
  explicit Texts(char* next) : next_(next) {}
  char* Next() {
    char* text = next_;
    next_ += std::strlen(text) + 1;
    return text;
  }

 private:
  char* next_;
};

void ReadExactly(int fd, void* into, size_t size) {
  auto* next = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = read(fd, next, size);
    Require(got > 0, "read the job");
    next += got;
    size -= static_cast<size_t>(got);
  }
}

char* ReadTexts(const Job& job) {
  auto* texts = static_cast<char*>(std::malloc(job.text_bytes + 1));
  Require(texts != nullptr, "read the job");
  ReadExactly(kJobFd, texts, job.text_bytes);
  texts[job.text_bytes] = '\0';
  return texts;
}

// --- namespaces -----------------------------------------------------------------------------------------------------

bool WriteFile(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, text, std::strlen(text)) == static_cast<ssize_t>(std::strlen(text));
  close(fd);
  return written;
}

bool WriteMap(pid_t child, const char* name, const char* text) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%d/%s", child, name);
  return WriteFile(path, text);
}

// Maps every id to itself, which only root may do: files keep their owners. False: not allowed.
bool MapAll(pid_t child) {
  if (geteuid() != 0) return false;
  constexpr char kAll[] = "0 0 4294967295\n";
  return WriteMap(child, "gid_map", kAll) && WriteMap(child, "uid_map", kAll);
}

// Maps our own user and group to 0.
bool MapSelf(pid_t child) {
  char text[64];
  std::snprintf(text, sizeof(text), "0 %u 1\n", getegid());
  WriteMap(child, "setgroups", "deny");
  if (!WriteMap(child, "gid_map", text)) return false;
  std::snprintf(text, sizeof(text), "0 %u 1\n", geteuid());
  return WriteMap(child, "uid_map", text);
}

// --- scratch space and overlay --------------------------------------------------------------------------------------

void MakeFolder(const char* path, mode_t mode = 0755) {
  Require(mkdir(path, mode) == 0 && chmod(path, mode) == 0, path);
}

void MountScratch(const Job& job, const char* folder) {
  Require(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "make mounts private");
  if (folder[0] != '\0') {
    Require(mount(folder, kScratch, nullptr, MS_BIND | MS_REC, nullptr) == 0, "mount the scratch folder");
    return;
  }
  char options[128];
  std::snprintf(options, sizeof(options), "mode=0755,size=%lld,nr_inodes=%lld",
                static_cast<long long>(job.max_changed_bytes),
                static_cast<long long>(job.max_changed_files) + job.own_files);
  Require(mount("tmpfs", kScratch, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0, "mount a tmpfs");
}

// Makes the folder `path` in the layer `mask`, like the workspace's. Where that has none, like `other`, if not null.
void MakeLike(int mask, int workspace, const char* path, const struct stat* other) {
  struct stat lower {};
  const bool is_there = fstatat(workspace, path, &lower, AT_SYMLINK_NOFOLLOW) == 0;
  if (is_there ? !S_ISDIR(lower.st_mode) : other == nullptr) return;
  if (mkdirat(mask, path, 0700) != 0) return;
  const struct stat& model = is_there ? lower : *other;
  fchownat(mask, path, model.st_uid, model.st_gid, AT_SYMLINK_NOFOLLOW);
  fchmodat(mask, path, is_there ? model.st_mode & 07777 : 0755, 0);
}

// Makes the folders above `path` in the layer `mask`, which is written over meanwhile.
void MakeParents(int mask, int workspace, char* path, const struct stat* other) {
  for (char* slash = std::strchr(path, '/'); slash != nullptr; slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    MakeLike(mask, workspace, path, other);
    *slash = '/';
  }
}

// Puts a whiteout at `path` into the layer `mask`, so that the path does not exist in the merged directory.
void Hide(int mask, int workspace, char* path) {
  MakeParents(mask, workspace, path, nullptr);
  // A folder that has vanished since has taken the path with it.
  const bool hidden = mknodat(mask, path, S_IFCHR, makedev(0, 0)) == 0 || errno == EEXIST || errno == ENOENT;
  Require(hidden, "hide a path");
}

// Puts a guard's content into the layer `mask`, with the owner and mode of what it covers. `how` is the kind's letter
// and the content.
void PutGuard(int mask, int workspace, char* path, const char* how, const struct stat& other) {
  const auto kind = static_cast<Guard::Kind>(how[0]);
  if (kind == Guard::Kind::kReadOnly) return;
  MakeParents(mask, workspace, path, &other);
  if (kind == Guard::Kind::kFolder) {
    MakeLike(mask, workspace, path, &other);
    return;
  }
  struct stat lower {};
  const bool is_there = fstatat(workspace, path, &lower, AT_SYMLINK_NOFOLLOW) == 0;
  // Something that has taken the place of a file, or of its folder, meanwhile is left alone.
  if (is_there && !S_ISREG(lower.st_mode)) return;
  const int file = openat(mask, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) return;
  const size_t size = std::strlen(how + 1);
  Require(file >= 0 && write(file, how + 1, size) == static_cast<ssize_t>(size), "guard a path");
  const struct stat& model = is_there ? lower : other;
  fchown(file, model.st_uid, model.st_gid);
  fchmod(file, is_there ? model.st_mode & 0777 : 0644);
  close(file);
}

// `guards` is a copy of the place in the texts where they begin.
void ProtectGuarded(const Job& job, Texts guards) {
  for (uint32_t i = 0; i < job.guards; ++i) {
    const char* path = guards.Next();
    if (guards.Next()[0] != static_cast<char>(Guard::Kind::kShown)) Require(Protect(kMerged, path), "protect a path");
  }
}

// The merged directory has the owner and mode of the workspace's.
void MountOverlay(const Job& job, Texts& texts) {
  struct stat workspace {};
  Require(stat(".", &workspace) == 0, "look at the workspace's directory");
  MakeFolder("/tmp/upper");
  MakeFolder("/tmp/work");
  MakeFolder(kMerged);
  Require(chown("/tmp/upper", workspace.st_uid, workspace.st_gid) == 0 || geteuid() != workspace.st_uid,
          "give the upper layer its owner");
  Require(chmod("/tmp/upper", workspace.st_mode & 07777) == 0, "give the upper layer its mode");
  const bool has_mask = job.hidden > 0 || job.guards > 0;
  if (has_mask) {
    MakeFolder("/tmp/mask");
    chown("/tmp/mask", workspace.st_uid, workspace.st_gid);
    const int mask = open("/tmp/mask", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int lower = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    Require(mask >= 0 && lower >= 0, "open the layers");
    for (uint32_t i = 0; i < job.hidden; ++i) Hide(mask, lower, texts.Next());
    for (uint32_t i = 0; i < job.guards; ++i) {
      char* path = texts.Next();
      PutGuard(mask, lower, path, texts.Next(), workspace);
    }
    close(mask);
    close(lower);
  }
  const char* options = has_mask ? "userxattr,lowerdir=/tmp/mask:.,upperdir=/tmp/upper,workdir=/tmp/work"
                                 : "userxattr,lowerdir=.,upperdir=/tmp/upper,workdir=/tmp/work";
  Require(mount("overlay", kMerged, "overlay", MS_NOSUID | MS_NODEV, options) == 0, "mount an overlay");
}

void MakeEtc(const Job& job, Texts& texts) {
  MakeFolder(kEtc);
  const int etc = open(kEtc, O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (uint32_t i = 0; i < job.etc_files; ++i) {
    const char* name = texts.Next();
    const char* content = texts.Next();
    if (content[0] == '/' && content[1] == '\0') {
      Require(mkdirat(etc, name, 0755) == 0, "make a folder of /etc");
      continue;
    }
    const int file = openat(etc, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    Require(file >= 0 && write(file, content, std::strlen(content)) >= 0, "make a file of /etc");
    close(file);
  }
  close(etc);
}

// --- file systems in memory -----------------------------------------------------------------------------------------

void MountTmpfs(const char* path, int64_t bytes, int64_t inodes) {
  MakeFolder(path);
  char options[128];
  std::snprintf(options, sizeof(options), "mode=1777,size=%lld,nr_inodes=%lld", static_cast<long long>(bytes),
                static_cast<long long>(inodes));
  Require(mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0, "mount a tmpfs");
}

// Bubblewrap's own have no bound of inodes, and terminals none at all.
void MountTemporary(const Job& job) {
  MountTmpfs(kTemporary, job.max_temporary_bytes, job.max_temporary_files);
  MountTmpfs(kSharedMemory, kSharedMemoryBytes, kSharedMemoryFiles);
  MakeFolder(kTerminals);
  Require(
      mount("devpts", kTerminals, "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620,max=64") == 0,
      "mount terminals");
}

// --- limits ---------------------------------------------------------------------------------------------------------

void Limit(int resource, int64_t value) {
  rlimit limit{};
  getrlimit(static_cast<__rlimit_resource>(resource), &limit);
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(value));
  limit.rlim_cur = limit.rlim_max;
  Require(setrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0, "set a limit");
}

void SetLimits(const Job& job) {
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_CPU, job.max_cpu_seconds);
  Limit(RLIMIT_DATA, job.max_memory_bytes);
  Limit(RLIMIT_FSIZE, job.max_file_bytes);
  Limit(RLIMIT_MEMLOCK, 65536);
  Limit(RLIMIT_MSGQUEUE, 65536);
  Limit(RLIMIT_NOFILE, job.max_open_files);
  Limit(RLIMIT_NPROC, job.max_processes);
  Limit(RLIMIT_SIGPENDING, 1024);
  Limit(RLIMIT_STACK, int64_t{8} << 20);
}

// The kernel holds root to no RLIMIT_NPROC. Since Linux 6.14 a pid namespace has a bound of its own, which may not be
// lower than this; before, only the watch below holds.
void LimitPids(const Job& job) {
  constexpr int64_t kLowest = 301;
  char text[32];
  std::snprintf(text, sizeof(text), "%lld\n", static_cast<long long>(std::max(job.max_processes, kLowest)));
  utsname system{};
  int major = 0;
  int minor = 0;
  if (uname(&system) != 0 || std::sscanf(system.release, "%d.%d", &major, &minor) != 2) return;
  // Before, the file is the whole machine's.
  if (major > 6 || (major == 6 && minor >= 14)) WriteFile("/tmp/proc/sys/kernel/pid_max", text);
}

// Bounds what the sockets of the network namespace keep, and the watches of files. The
// meter reads the values back, so that a kernel that has no such setting is none the worse.
void LimitKernelObjects() {
  WriteFile("/tmp/proc/sys/net/ipv4/tcp_rmem", "4096 65536 212992");
  WriteFile("/tmp/proc/sys/net/ipv4/tcp_wmem", "4096 16384 212992");
  WriteFile("/tmp/proc/sys/net/ipv4/tcp_max_tw_buckets", "4096");
  WriteFile("/tmp/proc/sys/user/max_inotify_instances", "128");
  WriteFile("/tmp/proc/sys/user/max_inotify_watches", "8192");
}

void StartLoopback() {
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq loopback{};
  std::strncpy(loopback.ifr_name, "lo", sizeof(loopback.ifr_name) - 1);
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  Require(any >= 0 && ioctl(any, SIOCSIFFLAGS, &loopback) == 0, "start the loopback");
  close(any);
}

// --- the control group ----------------------------------------------------------------------------------------------

// Puts the calling process into the command's group.
void EnterGroup() {
  const int processes = openat(kGroupFd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
  Require(processes >= 0 && write(processes, "0", 1) == 1, "enter the control group");
  close(processes);
}

// Whether the kernel has killed the command since its group had no more memory.
bool WasOutOfMemory() {
  const int events = openat(kGroupFd, "memory.events", O_RDONLY | O_CLOEXEC);
  char text[512] = {};
  const bool known = events >= 0 && read(events, text, sizeof(text) - 1) > 0;
  close(events);
  const char* kills = known ? std::strstr(text, "oom_kill ") : nullptr;
  return kills != nullptr && std::strtoll(kills + std::strlen("oom_kill "), nullptr, 10) > 0;
}

// --- the watch ------------------------------------------------------------------------------------------------------

int64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

// Blocks and inodes below an open folder, which is closed.
void Add(int folder, int64_t& bytes, int64_t& files) {
  DIR* entries = fdopendir(folder);
  if (entries == nullptr) {
    close(folder);
    return;
  }
  while (const dirent* entry = readdir(entries)) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    struct stat file {};
    if (fstatat(dirfd(entries), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0) continue;
    bytes += int64_t{file.st_blocks} * 512;
    ++files;
    if (!S_ISDIR(file.st_mode)) continue;
    const int next = openat(dirfd(entries), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next >= 0) Add(next, bytes, files);
    // Nested too deeply to be measured.
    if (next < 0 && errno == EMFILE) files = std::numeric_limits<int64_t>::max() / 2;
  }
  closedir(entries);
}

class Watch {
 public:
  Watch(const Job& job, bool on_disk, DIR* proc)
      : job_(job), on_disk_(on_disk), end_(Now() + job.timeout_ms), meter_(job, on_disk, proc) {
    upper_ = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    Require(upper_ >= 0, "open the scratch space");
  }

  // A process of the launcher's that is none of the command's.
  void LeaveOut(pid_t process) { meter_.LeaveOut(process); }

  // Milliseconds until the next check.
  int Pause() const { return static_cast<int>(std::max<int64_t>(0, std::min(next_, end_) - Now())); }

  // The limit that is exceeded, if any. Looks only when it is time to.
  Cause Check() {
    if (Now() >= end_) return Cause::kTimeout;
    if (job_.has_group != 0 && WasOutOfMemory()) return Cause::kMemory;
    if (Now() < next_) return Cause::kNone;
    const int64_t begun = Now();
    const Usage usage = meter_.Measure();
    if (usage.processes > job_.max_processes) return Cause::kProcesses;
    if (usage.memory > job_.max_memory_bytes) return Cause::kMemory;
    if (on_disk_ && DiskIsFull()) return Cause::kDisk;
    // A command at rest is looked at less and less often.
    constexpr int64_t kNoise = int64_t{1} << 20;
    const bool grows = usage.processes > last_.processes || usage.memory > last_.memory + kNoise;
    interval_ = grows ? kShortest : std::min(interval_ * 2, kLongest);
    // Nor does the look itself take much of a processor.
    next_ = Now() + std::min(std::max(interval_, 4 * (Now() - begun)), kLongest);
    last_ = usage;
    return Cause::kNone;
  }

 private:
  static constexpr int64_t kShortest = 10;
  static constexpr int64_t kLongest = 250;

  bool DiskIsFull() {
    int64_t bytes = 0;
    int64_t files = 0;
    const int upper = openat(upper_, "upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (upper >= 0) Add(upper, bytes, files);
    return bytes > job_.max_changed_bytes || files > job_.max_changed_files;
  }

  const Job& job_;
  const bool on_disk_;
  const int64_t end_;
  int64_t interval_ = kShortest;
  int64_t next_ = Now() + kShortest;
  UsageMeter meter_;
  Usage last_;
  int upper_ = -1;
};

// Reaps every child; true and the status when bubblewrap was among them.
bool Reap(pid_t bubblewrap, int& status) {
  bool ended = false;
  int of_child = 0;
  for (pid_t child = waitpid(-1, &of_child, WNOHANG); child > 0; child = waitpid(-1, &of_child, WNOHANG)) {
    if (child != bubblewrap) continue;
    ended = true;
    status = of_child;
  }
  return ended;
}

// Ends the process, and with it all that runs in its pid namespace.
[[noreturn]] void End(int status, Cause cause) {
  Report report;
  report.kind = ReportKind::kEnded;
  report.value = status;
  report.cause = cause;
  Send(report);
  _exit(0);
}

[[noreturn]] void WatchOver(const Job& job, Watch& watch, pid_t bubblewrap, int children) {
  pollfd events[2] = {{kControlFd, POLLIN, 0}, {children, POLLIN, 0}};
  for (;;) {
    poll(events, 2, watch.Pause());
    // The service sends nothing: it has closed its end, or is gone.
    if (events[0].revents != 0) _exit(0);
    int status = 0;
    if (events[1].revents != 0) {
      signalfd_siginfo unused{};
      while (read(children, &unused, sizeof(unused)) > 0) {
      }
      if (Reap(bubblewrap, status)) {
        End(status, job.has_group != 0 && WasOutOfMemory() ? Cause::kMemory : Cause::kNone);
      }
    }
    if (const Cause cause = watch.Check(); cause != Cause::kNone) End(0, cause);
  }
}

// --- processes ------------------------------------------------------------------------------------------------------

// Root runs the command as the owner of the workspace's directory: an owner that is not root is held to the kernel's
// limits for users.
void BecomeOwner() {
  struct stat workspace {};
  if (stat(".", &workspace) != 0 || workspace.st_uid == 0) return;
  Require(setresgid(workspace.st_gid, workspace.st_gid, workspace.st_gid) == 0, "become the workspace's group");
  Require(setresuid(workspace.st_uid, workspace.st_uid, workspace.st_uid) == 0, "become the workspace's owner");
}

// The command's pipes are to be opened by their names too, such as /dev/stderr, by whichever user it runs as.
void GivePipes() {
  struct stat workspace {};
  if (stat(".", &workspace) != 0) return;
  for (const int fd : {1, 2}) fchown(fd, workspace.st_uid, workspace.st_gid);
}

// Sends renames of the command to the process at the other end of `renames`.
void SendRenames(int renames) {
  const int listener = HandOverRenames();
  if (listener >= 0) SendDescriptor(renames, nullptr, 0, listener);
  close(listener);
  close(renames);
}

// A process that renames folders for the command, as who the command runs.
[[noreturn]] void RunRenames(int renames, int proc, bool maps_all) {
  struct stat workspace {};
  if (stat(".", &workspace) != 0 || !maps_all) workspace.st_uid = workspace.st_gid = 0;
  for (const int fd : {0, 1, 2, kControlFd, kFilterFd, kGroupFd}) close(fd);
  const int listener = ReceiveDescriptor(renames);
  close(renames);
  if (listener < 0) _exit(0);
  AnswerRenames(listener, proc, workspace.st_uid, workspace.st_gid);
}

[[noreturn]] void RunBubblewrap(const Job& job, Texts& texts, bool maps_all, int renames) {
  auto** arguments = static_cast<char**>(std::calloc(job.arguments + 1, sizeof(char*)));
  Require(arguments != nullptr, "start bubblewrap");
  for (uint32_t i = 0; i < job.arguments; ++i) arguments[i] = texts.Next();
  SetLimits(job);
  if (job.has_group != 0) EnterGroup();
  close(kGroupFd);
  if (maps_all) {
    GivePipes();
    BecomeOwner();
  }
  SendRenames(renames);
  fcntl(kFilterFd, F_SETFD, 0);
  fcntl(kControlFd, F_SETFD, FD_CLOEXEC);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  chdir("/");
  execv(arguments[0], arguments);
  Fail("start bubblewrap");
}

[[noreturn]] void RunInner(const Job& job, char* text_bytes, int go) {
  // Whether all ids are mapped; the end of the pipe means that the outer process is gone.
  char maps_all = 0;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (read(go, &maps_all, 1) != 1) _exit(1);
  close(go);
  // First in line when the machine runs out of memory.
  WriteFile("/proc/self/oom_score_adj", "1000");
  Texts texts(text_bytes);
  const char* folder = texts.Next();
  const bool on_disk = folder[0] != '\0';
  MountScratch(job, folder);
  Texts guards = texts;
  for (uint32_t i = 0; i < job.hidden; ++i) guards.Next();
  MountOverlay(job, texts);
  MakeEtc(job, texts);
  MountTemporary(job);
  MakeFolder("/tmp/proc");
  Require(mount("proc", "/tmp/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0, "mount /proc");
  // Bubblewrap looks up its child in /proc, by the child's id in this namespace.
  Require(mount("/tmp/proc", "/proc", nullptr, MS_BIND, nullptr) == 0, "show /proc to bubblewrap");
  ProtectGuarded(job, guards);
  LimitPids(job);
  LimitKernelObjects();
  StartLoopback();
  DIR* const proc = opendir("/tmp/proc");
  Require(proc != nullptr, "open the processes' folder");
  Watch watch(job, on_disk, proc);

  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  const int children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  Require(children >= 0, "wait for processes");
  const int upper = open("/tmp/upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  Require(upper >= 0, "open the upper layer");
  Report ready;
  ready.kind = ReportKind::kReady;
  Send(ready, upper);
  close(upper);

  int renames[2];
  Require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, renames) == 0, "make sockets");
  const pid_t helper = fork();
  Require(helper >= 0, "fork");
  if (helper == 0) {
    close(renames[0]);
    RunRenames(renames[1], dirfd(proc), maps_all == 'a');
  }
  close(renames[1]);
  watch.LeaveOut(helper);
  const pid_t bubblewrap = fork();
  Require(bubblewrap >= 0, "fork");
  if (bubblewrap == 0) RunBubblewrap(job, texts, maps_all == 'a', renames[0]);
  close(renames[0]);
  for (const int fd : {0, 1, 2, kFilterFd}) close(fd);
  WatchOver(job, watch, bubblewrap, children);
}

int Run() {
  Job job;
  ReadExactly(kJobFd, &job, sizeof(job));
  char* texts = ReadTexts(job);
  close(kJobFd);
  close(kLauncherFd);
  Require(fchdir(kWorkspaceFd) == 0, "enter the workspace's directory");
  close(kWorkspaceFd);
  // Not the service's, which may be 0 in a container: nothing that a command makes is for all to write.
  umask(022);
  // Root's further groups, which may open more than root's own files; others may not give theirs up.
  setgroups(0, nullptr);
  int go[2];
  Require(pipe2(go, O_CLOEXEC) == 0, "make a pipe");
  // As fork, with namespaces.
  const auto inner =
      static_cast<pid_t>(syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | SIGCHLD,
                                 nullptr, nullptr, nullptr, nullptr));
  Require(inner >= 0, "make namespaces");
  if (inner == 0) {
    close(go[1]);
    RunInner(job, texts, go[0]);
  }
  std::free(texts);
  close(go[0]);
  const bool maps_all = MapAll(inner);
  Require(maps_all || MapSelf(inner), "map users");
  Require(write(go[1], maps_all ? "a" : "s", 1) == 1, "start the inner process");
  // Only the command holds its pipes.
  for (const int fd : {go[1], 0, 1, 2, kControlFd, kFilterFd, kGroupFd}) close(fd);
  int status = 0;
  while (waitpid(inner, &status, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

}  // namespace
}  // namespace toolgate::executors::shell::launcher

int main() { return toolgate::executors::shell::launcher::Run(); }
