#include "executors/shell/launcher/protect.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

namespace toolgate::executors::shell::launcher {
namespace {

// A path below a folder, without following links; -1 when it is not there.
int OpenBelow(const char* folder, const char* path) {
  const int merged = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  open_how how{};
  how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  const auto at = static_cast<int>(syscall(SYS_openat2, merged, path, &how, sizeof(how)));
  close(merged);
  return at;
}

}  // namespace

bool Protect(const char* folder, const char* path) {
  const int below = OpenBelow(folder, path);
  struct stat found {};
  if (below < 0 || fstat(below, &found) != 0 || S_ISLNK(found.st_mode)) {
    close(below);
    return true;
  }
  char name[64];
  std::snprintf(name, sizeof(name), "/proc/self/fd/%d", below);
  const bool is_bound = mount(name, name, nullptr, MS_BIND, nullptr) == 0;
  close(below);
  if (!is_bound) return false;
  const int mounted = OpenBelow(folder, path);
  std::snprintf(name, sizeof(name), "/proc/self/fd/%d", mounted);
  const bool is_protected =
      mount(nullptr, name, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, nullptr) == 0;
  close(mounted);
  return is_protected;
}

}  // namespace toolgate::executors::shell::launcher
