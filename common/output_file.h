// Output file that is written completely or not at all.
#ifndef TOOLGATE_COMMON_OUTPUT_FILE_H_
#define TOOLGATE_COMMON_OUTPUT_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate {

// Written in the target's folder under a temporary name with mode 0600, and renamed by Commit. Not thread-safe.
class OutputFile {
 public:
  // ALREADY_EXISTS if `path` exists and must not be replaced.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& path, bool replace);
  // Removes the file unless it was committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  absl::Status Write(std::string_view bytes);
  // Makes the file durable and renames it.
  absl::Status Commit();

 private:
  OutputFile(std::string path, std::string temporary, int descriptor, bool replace);
  absl::Status Flush();

  const std::string path_;
  const std::string temporary_;
  int descriptor_;
  const bool replace_;
  bool committed_ = false;
  std::string buffer_;
};

// Makes the directory entries of the folder that contains `path` durable.
absl::Status SyncFolderOf(const std::string& path);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_OUTPUT_FILE_H_
