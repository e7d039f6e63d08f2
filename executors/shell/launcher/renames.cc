#include "executors/shell/launcher/renames.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace toolgate::executors::shell::launcher {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif

// Of Linux 5.19: once a rename has arrived, only a deadly signal ends it. Otherwise it would be made twice.
constexpr unsigned kWaitKillable = 1U << 5;

// --- capabilities ---------------------------------------------------------------------------------------------------

// Whether the rights of the user count, as for a command, or all files may be changed.
void ActAsCommand(bool as_command) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  syscall(SYS_capget, &header, sets);
  for (auto& set : sets) set.effective = as_command ? 0 : set.permitted;
  syscall(SYS_capset, &header, sets);
}

// --- moving ---------------------------------------------------------------------------------------------------------

// Names in an open folder; read at once, since they change.
class Names {
 public:
  explicit Names(int folder) {
    DIR* entries = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (entries == nullptr) {
      error_ = errno;
      return;
    }
    while (const dirent* entry = readdir(entries)) {
      if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) Add(entry->d_name);
    }
    closedir(entries);
  }
  ~Names() { std::free(text_); }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  int error() const { return error_; }
  bool empty() const { return size_ == 0; }
  const char* First() const { return text_; }
  // Null after the last one.
  const char* Next(const char* name) const {
    const char* next = name + std::strlen(name) + 1;
    return next == text_ + size_ ? nullptr : next;
  }

 private:
  void Add(const char* name) {
    const size_t length = std::strlen(name) + 1;
    if (size_ + length > room_) {
      room_ = std::max({size_ + length, room_ * 2, size_t{256}});
      auto* more = static_cast<char*>(std::realloc(text_, room_));
      if (more == nullptr) _exit(1);
      text_ = more;
    }
    std::memcpy(text_ + size_, name, length);
    size_ += length;
  }

  char* text_ = nullptr;
  size_t size_ = 0;
  size_t room_ = 0;
  int error_ = 0;
};

int OpenFolder(int parent, const char* name) {
  return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Gives a folder the mode, times and owner of another one.
void MakeAlike(int folder, const struct stat& model) {
  const timespec times[2] = {model.st_atim, model.st_mtim};
  fchown(folder, model.st_uid, model.st_gid);
  fchmod(folder, model.st_mode & 07777);
  futimens(folder, times);
}

int MoveInto(int from, int to);

// Moves the folder `name`, as a whole or by what is in it. 0, or an errno; then some of it may have moved.
int MoveFolder(int from, int to, const char* name, const struct stat& found) {
  if (renameat(from, name, to, name) == 0) return 0;
  if (errno != EXDEV && errno != ENOTEMPTY && errno != EEXIST) return errno;
  if (mkdirat(to, name, 0700) != 0 && errno != EEXIST) return errno;
  const int inner_from = OpenFolder(from, name);
  const int inner_to = inner_from < 0 ? -1 : OpenFolder(to, name);
  int error = inner_to < 0 ? errno : MoveInto(inner_from, inner_to);
  if (error == 0) MakeAlike(inner_to, found);
  close(inner_from);
  close(inner_to);
  if (error == 0 && unlinkat(from, name, AT_REMOVEDIR) != 0) error = errno;
  return error;
}

// Moves everything that is in the folder `from` into the folder `to`. 0, or an errno; then some of it may have moved.
int MoveInto(int from, int to) {
  const Names names(from);
  if (names.error() != 0) return names.error();
  for (const char* name = names.empty() ? nullptr : names.First(); name != nullptr; name = names.Next(name)) {
    struct stat found {};
    if (fstatat(from, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    if (S_ISDIR(found.st_mode)) {
      if (const int error = MoveFolder(from, to, name, found); error != 0) return error;
    } else if (renameat(from, name, to, name) != 0) {
      return errno;
    }
  }
  return 0;
}

// One side of a rename: a name in an open folder.
struct Place {
  int folder = -1;
  char name[NAME_MAX + 1] = {};
};

// Whether nothing, or an empty folder, is there.
bool IsFree(const Place& place) {
  const int folder = OpenFolder(place.folder, place.name);
  if (folder < 0) return errno == ENOENT;
  const Names names(folder);
  close(folder);
  return names.error() == 0 && names.empty();
}

bool IsOnOneOverlay(const Place& a, const Place& b) {
  struct stat first {};
  struct stat second {};
  struct statfs system {};
  return fstat(a.folder, &first) == 0 && fstat(b.folder, &second) == 0 && first.st_dev == second.st_dev &&
         fstatfs(a.folder, &system) == 0 && system.f_type == OVERLAYFS_SUPER_MAGIC;
}

// Makes the new folder, or takes the empty one that is there, and fills it. 0, or an errno, and nothing has moved.
int MoveByContent(const Place& from, const Place& to) {
  if (!IsFree(to)) return ENOTEMPTY;
  const bool is_new = mkdirat(to.folder, to.name, 0700) == 0;
  if (!is_new && errno != EEXIST) return errno;
  const int old_folder = OpenFolder(from.folder, from.name);
  const int new_folder = old_folder < 0 ? -1 : OpenFolder(to.folder, to.name);
  struct stat old_state {};
  struct stat new_state {};
  int error = 0;
  if (new_folder < 0 || fstat(old_folder, &old_state) != 0 || fstat(new_folder, &new_state) != 0) {
    error = errno;
  } else {
    error = MoveInto(old_folder, new_folder);
    MakeAlike(new_folder, error == 0 ? old_state : new_state);
    if (error == 0 && unlinkat(from.folder, from.name, AT_REMOVEDIR) != 0) error = errno;
    if (error != 0) {
      MoveInto(new_folder, old_folder);
      MakeAlike(old_folder, old_state);
    }
  }
  if (error != 0 && is_new) unlinkat(to.folder, to.name, AT_REMOVEDIR);
  close(old_folder);
  close(new_folder);
  return error;
}

// --- a rename of a command ------------------------------------------------------------------------------------------

bool IsLink(int number) {
#ifdef SYS_link
  if (number == SYS_link) return true;
#endif
  return number == SYS_linkat;
}

// Address of the new name of a hard link.
uint64_t NewNameOf(const seccomp_data& call) { return call.nr == SYS_linkat ? call.args[3] : call.args[1]; }

struct Rename {
  int old_base = AT_FDCWD;
  uint64_t old_path = 0;  // Addresses in the process.
  int new_base = AT_FDCWD;
  uint64_t new_path = 0;
  unsigned flags = 0;
};

Rename Decode(const seccomp_data& call) {
#ifdef SYS_rename
  if (call.nr == SYS_rename) return {AT_FDCWD, call.args[0], AT_FDCWD, call.args[1], 0};
#endif
  return {static_cast<int>(call.args[0]), call.args[1], static_cast<int>(call.args[2]), call.args[3],
          call.nr == SYS_renameat2 ? static_cast<unsigned>(call.args[4]) : 0};
}

class Helper {
 public:
  Helper(int listener, int proc) : listener_(listener), proc_(proc) {}

  // Waits for the next rename and answers it. False when there will be none.
  bool AnswerNext() {
    seccomp_notif call{};
    if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return errno == EINTR || errno == ENOENT;
    seccomp_notif_resp answer{};
    answer.id = call.id;
    if (const int error = Answer(call); error < 0) {
      answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    } else {
      answer.error = -error;
    }
    ActAsCommand(false);
    ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    return true;
  }

 private:
  static constexpr int kContinue = -1;  // The kernel is to make the rename.

  // 0 when it is made, or an errno, or kContinue.
  int Answer(const seccomp_notif& call) {
    if (IsLink(call.data.nr)) return AnswerLink(call);
    const Rename rename = Decode(call.data);
    if (!Enter(call.pid)) return kContinue;
    Place from;
    Place to;
    int error = kContinue;
    struct stat found {};
    if (Find(call.pid, rename.old_base, rename.old_path, from) &&
        fstatat(from.folder, from.name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode) &&
        Find(call.pid, rename.new_base, rename.new_path, to) &&
        ioctl(listener_, SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id) == 0) {
      error = RenameFolder(from, to, rename.flags);
    }
    close(from.folder);
    close(to.folder);
    return error;
  }

  // Git links objects when it clones, and takes it for an attack that the inode of a file changes with that, as it does
  // when an overlay copies the file up. Told that there are no links here, it copies.
  int AnswerLink(const seccomp_notif& call) const {
    char path[PATH_MAX];
    const bool is_object = ReadPath(call.pid, NewNameOf(call.data), path) && std::strstr(path, "objects/") != nullptr;
    return is_object ? EXDEV : kContinue;
  }

  static int RenameFolder(const Place& from, const Place& to, unsigned flags) {
    // The kernel checks all that it checks for the command, before it finds that the overlay cannot.
    ActAsCommand(true);
    const int error = syscall(SYS_renameat2, from.folder, from.name, to.folder, to.name, flags) == 0 ? 0 : errno;
    ActAsCommand(false);
    if (error != EXDEV || (flags & ~unsigned{RENAME_NOREPLACE}) != 0 || !IsOnOneOverlay(from, to)) return error;
    return MoveByContent(from, to);
  }

  // Enters the command's mount namespace, so that paths mean the same here.
  bool Enter(pid_t process) {
    if (entered_) return true;
    char name[64];
    std::snprintf(name, sizeof(name), "%d/ns/mnt", process);
    const int space = openat(proc_, name, O_RDONLY | O_CLOEXEC);
    entered_ = space >= 0 && setns(space, CLONE_NEWNS) == 0;
    close(space);
    return entered_;
  }

  // Opens the folder of a path that a process names.
  bool Find(pid_t process, int base, uint64_t address, Place& place) {
    char path[PATH_MAX];
    if (!ReadPath(process, address, path)) return false;
    size_t length = std::strlen(path);
    while (length > 1 && path[length - 1] == '/') path[--length] = '\0';
    char* slash = std::strrchr(path, '/');
    const char* last = slash == nullptr ? path : slash + 1;
    if (last[0] == '\0' || std::strlen(last) > NAME_MAX || std::strcmp(last, ".") == 0 ||
        std::strcmp(last, "..") == 0) {
      return false;
    }
    std::strncpy(place.name, last, NAME_MAX);
    const bool is_absolute = path[0] == '/';
    if (slash != nullptr) slash[slash == path ? 1 : 0] = '\0';
    const char* parent = slash == nullptr ? "." : path;
    const int at = is_absolute ? AT_FDCWD : OpenBase(process, base);
    if (at == -1) return false;
    place.folder = openat(at, parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at != AT_FDCWD) close(at);
    return place.folder >= 0;
  }

  int OpenBase(pid_t process, int base) const {
    char name[64];
    if (base == AT_FDCWD) {
      std::snprintf(name, sizeof(name), "%d/cwd", process);
    } else {
      std::snprintf(name, sizeof(name), "%d/fd/%d", process, base);
    }
    return openat(proc_, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
  }

  bool ReadPath(pid_t process, uint64_t address, char (&path)[PATH_MAX]) const {
    char name[64];
    std::snprintf(name, sizeof(name), "%d/mem", process);
    const int memory = openat(proc_, name, O_RDONLY | O_CLOEXEC);
    if (memory < 0) return false;
    size_t have = 0;
    bool ended = false;
    // Not beyond the page that the text ends in: the next one may not be there.
    constexpr uint64_t kPage = 4096;
    while (!ended && have < sizeof(path)) {
      const uint64_t at = address + have;
      const size_t wanted = std::min<size_t>(sizeof(path) - have, kPage - at % kPage);
      const ssize_t got = pread64(memory, path + have, wanted, static_cast<off64_t>(at));
      if (got <= 0) break;
      ended = std::memchr(path + have, '\0', static_cast<size_t>(got)) != nullptr;
      have += static_cast<size_t>(got);
    }
    close(memory);
    return ended && path[0] != '\0';
  }

  const int listener_;
  const int proc_;
  bool entered_ = false;
};

}  // namespace

int HandOverRenames() {
  if (kArchitecture == 0) return -1;
  constexpr uint32_t kNumber = offsetof(seccomp_data, nr);
  constexpr uint32_t kArch = offsetof(seccomp_data, arch);
#ifdef SYS_rename
  constexpr uint32_t kRename = SYS_rename;
  constexpr uint32_t kLink = SYS_link;
#else
  constexpr uint32_t kRename = SYS_renameat;
  constexpr uint32_t kLink = SYS_linkat;
#endif
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 0, 6),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kRename, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kLink, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_linkat, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  sock_fprog filter{sizeof(program) / sizeof(program[0]), program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  // Without the flag a signal that comes in between could have a rename made twice.
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillable, &filter));
}

void AnswerRenames(int listener, int proc, uid_t user, gid_t group) {
  umask(0);
  setfsgid(group);
  setfsuid(user);
  ActAsCommand(false);
  Helper helper(listener, proc);
  while (helper.AnswerNext()) {
  }
  _exit(0);
}

}  // namespace toolgate::executors::shell::launcher
