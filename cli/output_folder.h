// A folder that files are written into.
#ifndef TOOLGATE_CLI_OUTPUT_FOLDER_H_
#define TOOLGATE_CLI_OUTPUT_FOLDER_H_

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::cli {

// Files are for the owner alone; each is whole or not there. Nothing is written outside of the folder, and links in it
// are not followed. Not thread-safe.
class OutputFolder {
 public:
  // Makes the folder. ALREADY_EXISTS when there is anything in it, unless `force`: then files of the same name are
  // replaced, and others stay.
  static absl::StatusOr<std::unique_ptr<OutputFolder>> Create(const std::string& folder, bool force);

  // Writes the file `name`, with "/" behind each folder it is in, none of them ".."; makes the folders that are
  // missing. An error names the file or folder that could not be made.
  absl::Status Write(const std::string& name, std::string_view text);

 private:
  OutputFolder(std::string path, bool force) : path_(std::move(path)), force_(force) {}

  // Makes the folder `name`, "" for the folder itself; the one around it exists.
  absl::Status Make(const std::string& name);

  const std::string path_;
  const bool force_;
  std::set<std::string> made_;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_OUTPUT_FOLDER_H_
