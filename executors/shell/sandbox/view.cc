#include "executors/shell/sandbox/view.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "executors/directory/path.h"
#include "executors/shell/launcher/job.h"

namespace toolgate::executors::shell::sandbox {
namespace {

// Of the user and group in the sandbox.
constexpr char kUserId[] = "1000";

// A file's owner and change time are others in the sandbox than outside, where the index was written. The sandbox
// itself is what keeps repositories of others from doing harm.
constexpr char kGitConfig[] = "[core]\n\tcheckStat = minimal\n\ttrustctime = false\n[safe]\n\tdirectory = *\n";

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// The target of a symbolic link; empty when `path` is none.
std::string LinkTarget(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), target, sizeof(target));
  return size <= 0 ? "" : std::string(target, static_cast<size_t>(size));
}

void Append(std::vector<std::string>& arguments, std::initializer_list<std::string_view> more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

}  // namespace

View::View(std::string bubblewrap) {
  arguments_.push_back(std::move(bubblewrap));
  Append(arguments_, {"--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
                      "--unshare-cgroup-try", "--hostname", "sandbox", "--uid", kUserId, "--gid", kUserId, "--cap-drop",
                      "ALL", "--new-session", "--die-with-parent"});
  AddPrograms();
  AddEtc();
  AddKernelFiles();
  AddTemporary();
  Append(arguments_, {"--bind", launcher::kMerged, directory::kShellFolder, "--remount-ro", "/"});
  Append(arguments_, {"--seccomp", absl::StrCat(launcher::kFilterFd)});
}

void View::AddPrograms() {
  Append(arguments_, {"--ro-bind", "/usr", "/usr"});
  for (const char* name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    if (!Exists(name)) continue;
    if (const std::string target = LinkTarget(name); !target.empty()) {
      Append(arguments_, {"--symlink", target, name});
    } else {
      Append(arguments_, {"--ro-bind", name, name});
    }
  }
}

void View::AddEtc() {
  etc_files_ = {
      {"passwd", absl::StrCat("user:x:", kUserId, ":", kUserId, ":User:/tmp:/bin/bash\n")},
      {"group", absl::StrCat("user:x:", kUserId, ":\n")},
      {"nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"},
      {"hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
      {"hostname", "sandbox\n"},
      {"gitconfig", kGitConfig},
  };
  Append(arguments_, {"--ro-bind", launcher::kEtc, "/etc"});
  if (Exists("/etc/ld.so.cache")) {
    etc_files_.emplace_back("ld.so.cache", "");
    Append(arguments_, {"--ro-bind", "/etc/ld.so.cache", "/etc/ld.so.cache"});
  }
  if (Exists("/etc/alternatives")) {
    etc_files_.emplace_back("alternatives", "/");
    Append(arguments_, {"--ro-bind", "/etc/alternatives", "/etc/alternatives"});
  }
}

void View::AddKernelFiles() {
  Append(arguments_, {"--proc", "/proc"});
  // They tell of the machine, not of the sandbox.
  for (const char* name : {"/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/latency_stats",
                           "/proc/sched_debug", "/proc/kallsyms", "/proc/kpagecount", "/proc/kpageflags"}) {
    if (Exists(name)) Append(arguments_, {"--ro-bind", "/dev/null", name});
  }
  // Bubblewrap itself is process 1 of the sandbox: its command line is none of the command's business.
  Append(arguments_, {"--ro-bind", "/dev/null", "/proc/1/cmdline", "--ro-bind", "/dev/null", "/proc/1/task/1/cmdline"});
  // Also a command that runs as root must not write kernel settings.
  Append(arguments_, {"--remount-ro", "/proc", "--dev", "/dev"});
  Append(arguments_, {"--dev-bind", launcher::kTerminals, "/dev/pts", "--bind", launcher::kSharedMemory, "/dev/shm"});
  // It reads as zeros too, and cannot be mapped: /dev/zero would give shared memory of any size.
  if (Exists("/dev/full")) Append(arguments_, {"--dev-bind", "/dev/full", "/dev/zero"});
  Append(arguments_, {"--remount-ro", "/dev"});
}

void View::AddTemporary() {
  Append(arguments_, {"--bind", launcher::kTemporary, "/tmp"});
  Append(arguments_, {"--dir", "/var", "--symlink", "../tmp", "/var/tmp"});
}

std::vector<std::string> View::Arguments(std::string_view cwd, std::string_view command) const {
  std::vector<std::string> arguments = arguments_;
  const std::string folder =
      cwd.empty() ? std::string(directory::kShellFolder) : absl::StrCat(directory::kShellFolder, "/", std::string(cwd));
  Append(arguments, {"--chdir", folder, "--", "/bin/bash", "--noprofile", "--norc", "-c", "--", command, "bash"});
  return arguments;
}

const std::vector<std::string>& View::Environment() {
  static const auto* const environment =
      new std::vector<std::string>{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                   // Reading commands leave the index as it is.
                                   "GIT_OPTIONAL_LOCKS=0", "HOME=/tmp", "LANG=C.UTF-8", "LOGNAME=user",
                                   "SHELL=/bin/bash", "TERM=dumb", "TMPDIR=/tmp", "USER=user"};
  return *environment;
}

}  // namespace toolgate::executors::shell::sandbox
