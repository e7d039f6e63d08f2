// The text of a workspace's file, for the tools of this family.
#ifndef TOOLGATE_EXECUTORS_FILES_FILE_TEXT_H_
#define TOOLGATE_EXECUTORS_FILES_FILE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "executors/directory/directory.h"
#include "executors/directory/file_state.h"
#include "executors/files/text_encoding.h"

namespace toolgate::executors::files {

// A file as it was read once.
struct FileText {
  std::string path;  // Canonical.
  directory::FileState state;
  DecodedText decoded;
};

// Reads a whole file. Besides the errors of Directory: INVALID_PARAMS at the argument `file` when it is not text,
// QUOTA_EXCEEDED when it is larger than a tool takes in.
absl::StatusOr<FileText> ReadText(const directory::Directory& directory, std::string_view path);

// A file that a tool is about to write. No file may be written through a link in the last place: the link would stay
// and another file change. FORBIDDEN then, and when a folder or a special file is there.
struct Target {
  std::string path;  // Canonical.
  bool exists = false;
  uint32_t mode = 0;  // Of the file that is there.
  int64_t size = 0;
};
absl::StatusOr<Target> FindTarget(const directory::Directory& directory, std::string_view path);

// A unified diff of two versions of a file's text, for an answer or a question, at most `max_bytes` long.
struct ShownDiff {
  std::string text;
  std::string counts;  // "+3 −1 lines".
  bool cut = false;
};
ShownDiff DiffOf(std::string_view path, std::string_view before, std::string_view after, bool existed,
                 size_t max_bytes);

inline constexpr size_t kMaxAnswerDiff = size_t{128} << 10;
inline constexpr size_t kMaxQuestionDiff = size_t{256} << 10;

}  // namespace toolgate::executors::files

#endif  // TOOLGATE_EXECUTORS_FILES_FILE_TEXT_H_
