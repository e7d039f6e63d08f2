#include "executors/files/files_tools.h"

#include <fcntl.h>

#include <cerrno>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/yaml/yaml_proto.h"
#include "executors/directory/change_set.h"
#include "executors/directory/path.h"
#include "executors/files/edit_file.h"
#include "executors/files/file_change.h"
#include "executors/files/files_defaults.h"
#include "executors/files/files_definitions.h"
#include "executors/files/read_file.h"
#include "executors/files/write_file.h"

namespace toolgate::executors::files {
namespace {

using directory::Directories;

// Folders by the place in the configuration that names them.
std::map<std::string, std::string> FoldersOf(const FilesSettings& settings) {
  std::map<std::string, std::string> folders;
  if (!settings.root().empty()) folders.emplace("files.root", settings.root());
  for (const auto& [id, path] : settings.workspaces()) {
    folders.emplace(yaml::YamlPathOfKey("files.workspaces", id), path);
  }
  return folders;
}

absl::Status CheckFolders(const FilesSettings& settings) {
  for (const auto& [place, path] : FoldersOf(settings)) {
    const Descriptor folder(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (folder.valid()) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(place, ": the folder ", path, " cannot be opened: ", std::generic_category().message(errno)));
  }
  return absl::OkStatus();
}

bool LiesIn(const std::string& inner, const std::string& outer) {
  return inner == outer || absl::StartsWith(inner, outer + "/");
}

void CheckFiles(const google::protobuf::Message& section, yaml::ReportProblem report) {
  FilesSettings settings;
  settings.CopyFrom(section);
  const std::map<std::string, std::string> folders = FoldersOf(settings);
  for (const auto& [place, path] : folders) {
    const bool plain = path.size() > 1 && path.front() == '/' && directory::IsCanonical(path.substr(1));
    if (!plain) report(place, "must be an absolute path without \"..\" and without \"/\" at its end");
    for (const auto& [other_place, other] : folders) {
      if (place == other_place || !LiesIn(path, other)) continue;
      report(place, absl::StrCat("lies in the folder of ", other_place, "; each needs a folder of its own"));
    }
  }
  for (int i = 0; i < settings.deny_size(); ++i) {
    const absl::Status status = directory::DenyList::Create({settings.deny(i)}).status();
    if (!status.ok()) report(absl::StrCat("files.deny[", i, "]"), FromAbsl(status.message()));
  }
  if (settings.max_file_bytes() > settings.max_total_bytes()) {
    report("files.max_file_bytes",
           absl::StrCat("is ", settings.max_file_bytes(), "; must be at most files.max_total_bytes, ",
                        settings.max_total_bytes()));
  }
}

template <typename Run>
ToolHandlers Row(std::string_view id, Run run) {
  ToolHandlers handlers;
  handlers.id = id;
  handlers.run = EffectHandler(std::move(run));
  return handlers;
}

std::vector<ToolHandlers> Handlers(const std::shared_ptr<Directories>& directories, int64_t max_read_bytes) {
  const Recoverer recover = [directories](ToolContext& context, EffectSession& session) {
    return RecoverChange(*directories, context, session);
  };
  ToolHandlers read = Row("Read", [directories, max_read_bytes](ToolContext& context, EffectSession& session) {
    return ReadFile(*directories, max_read_bytes, context, session);
  });
  ToolHandlers write = Row("Write", [directories](ToolContext& context, EffectSession& session) {
    return WriteFile(*directories, context, session);
  });
  write.preview = [directories](ToolContext& context, EffectSession&) {
    return PreviewWriteFile(*directories, context);
  };
  write.recover = recover;
  ToolHandlers edit = Row("Edit", [directories](ToolContext& context, EffectSession& session) {
    return EditFile(*directories, context, session);
  });
  edit.preview = [directories](ToolContext& context, EffectSession&) { return PreviewEditFile(*directories, context); };
  edit.recover = recover;
  return {std::move(read), std::move(write), std::move(edit)};
}

absl::StatusOr<FamilyTools> FilesTools(const FamilyContext& context) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Directories> directories, DirectoriesOf(context));
  FamilyTools tools;
  tools.handlers = Handlers(directories, context.settings.GetExtension(FilesSettings::files).max_read_bytes());
  tools.reversers.emplace(std::string(directory::kFilesEffect), directory::FilesReverser(directories));
  tools.available = directory::AvailabilityOf(directories);
  return tools;
}

}  // namespace

absl::StatusOr<std::shared_ptr<Directories>> DirectoriesOf(const FamilyContext& context) {
  return context.parts->Get<Directories>([&]() -> absl::StatusOr<std::shared_ptr<Directories>> {
    const FilesSettings& settings = context.settings.GetExtension(FilesSettings::files);
    RETURN_IF_ERROR(CheckFolders(settings));
    ASSIGN_OR_RETURN(Directories::Options options, OptionsOf(settings));
    return std::make_shared<Directories>(std::move(options));
  });
}

Family FilesFamily() {
  FamilySettings settings = SettingsOf<FilesSettings>(DefaultFiles().front());
  settings.check = CheckFiles;
  return {"files", &DefinitionFiles(), FilesTools, settings, {"file:read", "file:write"}};
}

absl::StatusOr<Directories::Options> OptionsOf(const FilesSettings& settings) {
  Directories::Options options;
  options.root = settings.root();
  options.workspaces.insert(settings.workspaces().begin(), settings.workspaces().end());
  ASSIGN_OR_RETURN(options.deny_list, directory::DenyList::Create({settings.deny().begin(), settings.deny().end()}));
  options.limits.max_file_bytes = settings.max_file_bytes();
  options.limits.max_total_bytes = settings.max_total_bytes();
  options.limits.max_inline_bytes = settings.max_undo_bytes();
  options.limits.max_image_bytes = settings.max_image_bytes();
  options.max_open = static_cast<size_t>(settings.max_open_directories());
  return options;
}

}  // namespace toolgate::executors::files
