// The text of a workspace's file, for the tools of this family.
#ifndef TOOLGATE_EXECUTORS_FILES_FILE_TEXT_H_
#define TOOLGATE_EXECUTORS_FILES_FILE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/fibers/cancellation.h"
#include "executors/directory/directory.h"
#include "executors/directory/file_state.h"
#include "executors/effect_session.h"
#include "executors/files/text_encoding.h"

namespace toolgate::executors::files {

// A file as it was read once.
struct FileText {
  std::string path;  // Canonical.
  directory::FileState state;
  DecodedText decoded;
  bool named_otherwise = false;  // It was found by a name that only looks the same.
};

// Reads a whole file. Besides the errors of Directory: INVALID_PARAMS at the argument `file` when it is not text,
// QUOTA_EXCEEDED when it is larger than a tool takes in, which is seen before anything is read; CANCELLED or TIMEOUT.
absl::StatusOr<FileText> ReadText(const directory::Directory& directory, std::string_view path,
                                  const fibers::Cancellation& cancellation);

// As above, of the file that looks the same when there is none by exactly this name (directory/name_search.h).
// NOT_FOUND tells the nearest name.
absl::StatusOr<FileText> ReadNamed(const directory::Directory& directory, std::string_view path,
                                   const fibers::Cancellation& cancellation);

// An error that quotes the file, or names of files, reaches the client like output from outside.
absl::Status ShowQuotes(const absl::Status& failed, EffectSession& session);

// A file that a tool is about to write. No file may be written through a link in the last place: the link would stay
// and another file change. FORBIDDEN then, and when a folder or a special file is there.
struct Target {
  std::string path;  // Canonical.
  bool exists = false;
  uint32_t mode = 0;  // Of the file that is there.
  int64_t size = 0;
};
absl::StatusOr<Target> FindTarget(const directory::Directory& directory, std::string_view path);

// The present state of a target: a question is about it, and the call that it approves compares it when it acts.
struct SeenTarget {
  // Nothing when the file is larger than tools take in: then it was not read.
  std::optional<directory::FileState> state;
  std::string bytes;  // Of a file that was read.
  std::string
      state_digest;  // Of path, kind, mode and content; of a file that was not read, its inode and times instead.
};
absl::StatusOr<SeenTarget> LookAtTarget(const directory::Directory& directory, const Target& target,
                                        const fibers::Cancellation& cancellation);
// The digest of the state of the file at a canonical path.
std::string StateDigestOf(std::string_view path, const directory::FileState& state);

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
