#include "executors/shell/sandbox/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

namespace toolgate::executors::shell::sandbox {
namespace {

// The names in an open folder, which is closed.
std::vector<std::string> NamesIn(int folder) {
  std::vector<std::string> names;
  DIR* entries = fdopendir(folder);
  if (entries == nullptr) {
    close(folder);
    return names;
  }
  while (const dirent* entry = readdir(entries)) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
      names.emplace_back(entry->d_name);
  }
  closedir(entries);
  return names;
}

void RemoveAt(int parent, const char* name) {
  if (unlinkat(parent, name, 0) == 0) return;
  struct stat entry {};
  if (fstatat(parent, name, &entry, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(entry.st_mode)) return;
  fchmodat(parent, name, 0700, 0);
  const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  const int listed = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (const std::string& inner : NamesIn(listed)) RemoveAt(folder, inner.c_str());
  close(folder);
  unlinkat(parent, name, AT_REMOVEDIR);
}

}  // namespace

void RemoveTree(const std::string& path) { RemoveAt(AT_FDCWD, path.c_str()); }

}  // namespace toolgate::executors::shell::sandbox
