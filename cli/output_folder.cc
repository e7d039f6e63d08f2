#include "cli/output_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "common/output_file.h"
#include "common/status_macros.h"

namespace toolgate::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFolder>> OutputFolder::Create(const std::string& folder, bool force) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status)) return absl::AlreadyExistsError(absl::StrCat(folder, " is not a folder"));
    const bool empty = fs::is_empty(folder, error);
    if (error) return absl::PermissionDeniedError(absl::StrCat("cannot read ", folder, ": ", error.message()));
    if (!empty && !force) {
      return absl::AlreadyExistsError(absl::StrCat(folder, " is not empty; write into it with --force"));
    }
  }
  std::unique_ptr<OutputFolder> made(new OutputFolder(folder, force));
  RETURN_IF_ERROR(made->Make(""));
  return made;
}

absl::Status OutputFolder::Write(const std::string& name, std::string_view text) {
  for (size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
    RETURN_IF_ERROR(Make(name.substr(0, end)));
  }
  const std::string path = absl::StrCat(path_, "/", name);
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Create(path, force_));
  RETURN_IF_ERROR(file->Write(text));
  return file->Commit();
}

absl::Status OutputFolder::Make(const std::string& name) {
  if (!made_.insert(name).second) return absl::OkStatus();
  std::string path = absl::StrCat(path_, "/", name);
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (mkdir(path.c_str(), 0700) == 0) return absl::OkStatus();
  const int why = errno;
  struct stat info = {};
  // The folder itself may be a link made by its owner; inside it, a link could lead anywhere.
  const bool exists = why == EEXIST && (name.empty() ? stat(path.c_str(), &info) : lstat(path.c_str(), &info)) == 0;
  if (exists && S_ISDIR(info.st_mode)) return absl::OkStatus();
  made_.erase(name);
  return absl::ErrnoToStatus(why, absl::StrCat("cannot create the folder ", path));
}

}  // namespace toolgate::cli
