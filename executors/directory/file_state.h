// The state of one path: what two looks at it compare.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_FILE_STATE_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_FILE_STATE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace toolgate::executors::directory {

enum class FileKind { kMissing, kFile, kFolder, kLink, kOther };

// "file", "folder", "symbolic link", "special file" or "nothing".
std::string_view KindName(FileKind kind);
FileKind KindOf(mode_t mode);

// Members that do not apply to the kind are 0 or empty.
struct FileState {
  FileKind kind = FileKind::kMissing;
  uint32_t mode = 0;   // Permission bits (07777) of a file or folder.
  int64_t size = 0;    // Of a file, in bytes.
  std::string sha256;  // Of a file: 32 bytes.
  std::string target;  // Of a link.

  bool operator==(const FileState&) const = default;
};

// One path's change, by its states before and after.
struct Change {
  std::string path;  // Canonical.
  FileState before;
  FileState after;
};

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_FILE_STATE_H_
