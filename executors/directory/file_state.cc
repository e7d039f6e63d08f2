#include "executors/directory/file_state.h"

#include <sys/stat.h>

namespace toolgate::executors::directory {

std::string_view KindName(FileKind kind) {
  switch (kind) {
    case FileKind::kMissing:
      return "nothing";
    case FileKind::kFile:
      return "file";
    case FileKind::kFolder:
      return "folder";
    case FileKind::kLink:
      return "symbolic link";
    case FileKind::kOther:
      break;
  }
  return "special file";
}

FileKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kFile;
  if (S_ISDIR(mode)) return FileKind::kFolder;
  if (S_ISLNK(mode)) return FileKind::kLink;
  return FileKind::kOther;
}

}  // namespace toolgate::executors::directory
