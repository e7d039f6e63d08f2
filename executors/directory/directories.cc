#include "executors/directory/directories.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/directory/path.h"
#include "executors/directory/secure_open.h"

namespace toolgate::executors::directory {
namespace {

constexpr size_t kMaxPlainName = 128;
constexpr mode_t kFolderMode = 0750;

absl::Status NotConfigured(std::string_view why) {
  return MakeError(ErrorCode::kNotConfigured, absl::StrCat("tools of files are not available: ", ToAbsl(why)));
}

}  // namespace

std::string FolderOfWorkspace(std::string_view workspace_id) {
  if (IsPlainName(workspace_id, kMaxPlainName)) return std::string(workspace_id);
  // No plain name has this character.
  return absl::StrCat("=", HexEncode(Sha256(workspace_id)));
}

Directories::Directories(Options options) : options_(std::move(options)), support_(CheckSupport()) {}

absl::Status Directories::Check(std::string_view workspace_id) const {
  if (options_.root.empty() && options_.workspaces.empty()) {
    return NotConfigured("no directory is configured; set files.root or files.workspaces");
  }
  if (!support_.ok()) return NotConfigured(FromAbsl(support_.message()));
  if (options_.root.empty() && options_.workspaces.count(std::string(workspace_id)) == 0) {
    return NotConfigured("this workspace has no directory; add it to files.workspaces, or set files.root");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Directory>> Directories::Open(std::string_view workspace_id) const {
  const auto own = options_.workspaces.find(std::string(workspace_id));
  if (own != options_.workspaces.end()) return Directory::Open(own->second, options_.deny_list, options_.limits);
  const Descriptor root(open(options_.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::string name = FolderOfWorkspace(workspace_id);
  if (root.valid() && (mkdirat(root.get(), name.c_str(), kFolderMode) == 0 || errno == EEXIST)) {
    Descriptor folder = OpenBeneath(root.get(), name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    const std::string path = absl::StrCat(options_.root, "/", name);
    if (folder.valid()) return Directory::Open(std::move(folder), path, options_.deny_list, options_.limits);
  }
  return absl::FailedPreconditionError(absl::StrCat("the folder of this workspace in files.root cannot be opened: ",
                                                    std::generic_category().message(errno)));
}

absl::StatusOr<std::shared_ptr<Directory>> Directories::Of(std::string_view workspace_id) {
  RETURN_IF_ERROR(Check(workspace_id));
  {
    const absl::MutexLock lock(&mutex_);
    if (std::shared_ptr<Directory> known = FindOpen(workspace_id); known != nullptr) return known;
  }
  // Without the lock: the file system of one workspace must not hold up the others.
  absl::StatusOr<std::shared_ptr<Directory>> opened = Open(workspace_id);
  if (!opened.ok()) return NotConfigured(FromAbsl(opened.status().message()));
  if (options_.on_step != nullptr) (*opened)->OnStep(options_.on_step);
  const absl::MutexLock lock(&mutex_);
  if (std::shared_ptr<Directory> known = FindOpen(workspace_id); known != nullptr) return known;
  open_.Add(workspace_id, *opened);
  open_.Trim(options_.max_open, [](const std::shared_ptr<Directory>& directory) { return directory.use_count() == 1; });
  return opened;
}

std::shared_ptr<Directory> Directories::FindOpen(std::string_view workspace_id) {
  const std::shared_ptr<Directory>* const known = open_.Find(workspace_id);
  return known == nullptr ? nullptr : *known;
}

size_t Directories::open_count() const {
  const absl::MutexLock lock(&mutex_);
  return open_.size();
}

Availability AvailabilityOf(std::shared_ptr<const Directories> directories) {
  return
      [directories = std::move(directories)](const Caller& caller) { return directories->Check(caller.workspace_id); };
}

}  // namespace toolgate::executors::directory
