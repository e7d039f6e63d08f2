#include "executors/shell/sandbox/control_groups.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/status_macros.h"

namespace toolgate::executors::shell::sandbox {
namespace {

constexpr char kService[] = "toolgate-service";
constexpr char kCommand[] = "toolgate-command-";
constexpr char kControllers[] = "+memory +pids";

absl::Status Absent(const std::string& reason) {
  return absl::FailedPreconditionError(absl::StrCat("no control group for commands: ", reason));
}

absl::Status Failed(const std::string& attempt) {
  return absl::UnavailableError(absl::StrCat("cannot ", attempt, ": ", std::strerror(errno)));
}

bool WriteTo(int folder, const std::string& file, const std::string& text) {
  const Descriptor open(openat(folder, file.c_str(), O_WRONLY | O_CLOEXEC));
  return open.valid() && write(open.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// The words of a file; none when it cannot be read.
std::vector<std::string> WordsOf(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> words;
  for (std::string word; file >> word;) words.push_back(word);
  return words;
}

bool Has(const std::vector<std::string>& words, std::string_view word) {
  for (const std::string& one : words) {
    if (one == word) return true;
  }
  return false;
}

bool HasControllers(const std::string& path) {
  const std::vector<std::string> words = WordsOf(path);
  return Has(words, "memory") && Has(words, "pids");
}

// The path at which all of cgroup v2 is mounted; empty: none.
std::string MountPoint() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string id;
    std::string parent;
    std::string device;
    std::string root;
    std::string path;
    words >> id >> parent >> device >> root >> path;
    if (root == "/" && line.find(" - cgroup2 ") != std::string::npos) return path;
  }
  return "";
}

// The folder of the calling process's group, or the one above it if the process has moved itself already.
absl::StatusOr<std::string> OwnFolder() {
  const std::string mounted = MountPoint();
  if (mounted.empty()) return Absent("cgroup v2 is not mounted");
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::/", 0) != 0) continue;
    const std::filesystem::path folder(absl::StrCat(mounted, line.substr(3)));
    return folder.filename() == kService ? folder.parent_path().string() : folder.string();
  }
  return Absent("the process is in no group of cgroup v2");
}

bool IsDelegated(const std::string& folder) {
  for (const char* mark : {"user.delegate", "trusted.delegate"}) {
    char value = 0;
    if (getxattr(folder.c_str(), mark, &value, 1) == 1 && value == '1') return true;
  }
  struct stat found {};
  return geteuid() != 0 && stat(folder.c_str(), &found) == 0 && found.st_uid == geteuid();
}

// Makes room for groups with controllers. Undoes what it did when it fails.
absl::Status Divide(const std::string& path, int folder) {
  if (HasControllers(absl::StrCat(path, "/cgroup.subtree_control"))) return absl::OkStatus();
  for (const std::string& process : WordsOf(absl::StrCat(path, "/cgroup.procs"))) {
    if (process != absl::StrCat(getpid())) return Absent(absl::StrCat("other processes are in ", path));
  }
  if (mkdirat(folder, kService, 0755) != 0 && errno != EEXIST) {
    return Absent(absl::StrCat("cannot make a group in ", path, ": ", std::strerror(errno)));
  }
  if (WriteTo(folder, absl::StrCat(kService, "/cgroup.procs"), "0") &&
      WriteTo(folder, "cgroup.subtree_control", kControllers)) {
    return absl::OkStatus();
  }
  const int error = errno;
  WriteTo(folder, "cgroup.procs", "0");
  unlinkat(folder, kService, AT_REMOVEDIR);
  return Absent(absl::StrCat("cannot divide ", path, ": ", std::strerror(error)));
}

// The kernel takes some time to let go of what it has killed.
void Remove(int parent, const std::string& name) {
  constexpr int kTries = 50;
  if (unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0) return;
  WriteTo(parent, absl::StrCat(name, "/cgroup.kill"), "1");
  for (int i = 0; i < kTries && unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0 && errno == EBUSY; ++i) {
    absl::SleepFor(absl::Milliseconds(2));
  }
}

// Prefix of the groups of this process: an earlier sandbox of it may still have commands.
std::string OwnPrefix() { return absl::StrCat(kCommand, getpid(), "-"); }

void RemoveLeftovers(const std::string& path, int folder) {
  const std::string own = OwnPrefix();
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(path, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(kCommand, 0) == 0 && name.rfind(own, 0) != 0) Remove(folder, name);
  }
}

}  // namespace

ControlGroup::~ControlGroup() { Remove(parent_.get(), name_); }

absl::StatusOr<std::unique_ptr<ControlGroups>> ControlGroups::Open(const Options& options) {
  std::string path = options.folder;
  if (path.empty()) {
    ASSIGN_OR_RETURN(path, OwnFolder());
  }
  if (!HasControllers(absl::StrCat(path, "/cgroup.controllers"))) {
    return Absent(absl::StrCat(path, " has no controllers of memory and pids"));
  }
  if (options.only_delegated && !IsDelegated(path)) return Absent(absl::StrCat(path, " is not delegated"));
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return Absent(absl::StrCat("cannot open ", path, ": ", std::strerror(errno)));
  RETURN_IF_ERROR(Divide(path, folder.get()));
  RemoveLeftovers(path, folder.get());
  return std::unique_ptr<ControlGroups>(new ControlGroups(std::move(folder)));
}

absl::StatusOr<std::unique_ptr<ControlGroup>> ControlGroups::Make(const ControlGroup::Limits& limits) const {
  static std::atomic<uint64_t> next{0};
  std::string name = absl::StrCat(OwnPrefix(), next.fetch_add(1));
  Descriptor parent(fcntl(folder_.get(), F_DUPFD_CLOEXEC, 0));
  if (!parent.valid()) return Failed("copy a descriptor");
  if (mkdirat(parent.get(), name.c_str(), 0755) != 0) return Failed("make a control group");
  Descriptor folder(openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  auto group = std::make_unique<ControlGroup>(std::move(parent), std::move(name), std::move(folder));
  if (group->folder() < 0 || !WriteTo(group->folder(), "memory.max", absl::StrCat(limits.max_memory_bytes)) ||
      !WriteTo(group->folder(), "pids.max", absl::StrCat(limits.max_processes))) {
    return Failed("bound a control group");
  }
  // Both are missing on some kernels: without swap, and without the killing of a group as a whole.
  WriteTo(group->folder(), "memory.swap.max", "0");
  WriteTo(group->folder(), "memory.oom.group", "1");
  return group;
}

}  // namespace toolgate::executors::shell::sandbox
