// Folder for output files.
#ifndef TOOLGATE_CLI_OUTPUT_FOLDER_H_
#define TOOLGATE_CLI_OUTPUT_FOLDER_H_

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::cli {

// Files are accessible only to the owner; each is written completely or not at all. Nothing is written outside of the
// folder, and links in it are not followed. Not thread-safe.
class OutputFolder {
 public:
  // Creates the folder. ALREADY_EXISTS if it is not empty, unless `force`: then files of the same name are replaced,
  // and others stay.
  static absl::StatusOr<std::unique_ptr<OutputFolder>> Create(const std::string& folder, bool force);

  // Writes the file `name`, with "/" after each of its folders, none of which is ".."; creates missing folders. An
  // error names the file or folder that could not be created.
  absl::Status Write(const std::string& name, std::string_view text);

 private:
  OutputFolder(std::string path, bool force) : path_(std::move(path)), force_(force) {}

  // Creates the folder `name`, "" for the folder itself; its parent exists.
  absl::Status Make(const std::string& name);

  const std::string path_;
  const bool force_;
  std::set<std::string> made_;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_OUTPUT_FOLDER_H_
