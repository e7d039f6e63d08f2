#include "services/config/overlap_checks.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/yaml/yaml_proto.h"
#include "executors/files/settings.pb.h"
#include "services/config/listen_address.h"
#include "toolgate/config/v1/options.pb.h"

namespace toolgate::services::config {
namespace {

namespace fs = std::filesystem;
using executors::files::FilesSettings;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// A path of this machine, and where it was named.
struct NamedPath {
  std::string setting;
  std::string written;
  fs::path path;  // Absolute, without symbolic links.
};

NamedPath Named(std::string setting, std::string written) {
  std::error_code error;
  const fs::path absolute = fs::absolute(written, error);
  fs::path path = fs::weakly_canonical(absolute, error);
  if (error) path = absolute.lexically_normal();
  // Without the "/" at the end.
  if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
  return {std::move(setting), std::move(written), std::move(path)};
}

bool IsIn(const NamedPath& inner, const NamedPath& outer) {
  const auto end = std::mismatch(outer.path.begin(), outer.path.end(), inner.path.begin(), inner.path.end()).first;
  return end == outer.path.end();
}

// The part of a setting's value that is a path; empty: it names none.
std::string PathIn(std::string_view setting, const std::string& value) {
  for (const char* const ending : {"_file", "_dir", "folder"}) {
    if (absl::EndsWith(ToAbsl(setting), ending)) return value;
  }
  if (setting == "bubblewrap" || setting == "ctags") return value;
  if (!absl::StartsWith(value, "unix:")) return "";
  const auto address = ParseListenAddress(value);
  return address.ok() ? address->unix_path : "";
}

std::string SettingAt(const std::string& at, const FieldDescriptor& field) {
  if (field.options().GetExtension(toolgate::config::v1::flattened)) return at;
  return at.empty() ? field.name() : absl::StrCat(at, ".", field.name());
}

// Gathers the paths that a configuration names, its extensions and maps included.
class PathsOfSettings {
 public:
  void Gather(const Message& message, const std::string& at) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* const field : fields) {
      // Has the folders of workspaces.
      if (field->message_type() == FilesSettings::descriptor()) continue;
      GatherField(message, *field, SettingAt(at, *field));
    }
  }
  std::vector<NamedPath> Take() { return std::move(paths_); }

 private:
  void GatherField(const Message& message, const FieldDescriptor& field, const std::string& at) {
    const Reflection& reflection = *message.GetReflection();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING && !field.is_repeated()) {
      const std::string path = PathIn(field.name(), reflection.GetString(message, &field));
      if (!path.empty()) paths_.push_back(Named(at, path));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field.is_repeated()) {
      Gather(reflection.GetMessage(message, &field), at);
    } else if (field.is_map()) {
      GatherMap(message, field, at);
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
        Gather(reflection.GetRepeatedMessage(message, &field, i), absl::StrCat(at, "[", i, "]"));
      }
    }
  }

  void GatherMap(const Message& message, const FieldDescriptor& field, const std::string& at) {
    const FieldDescriptor& value = *field.message_type()->map_value();
    const FieldDescriptor& key = *field.message_type()->map_key();
    if (value.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || key.cpp_type() != FieldDescriptor::CPPTYPE_STRING)
      return;
    const Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
      const Reflection& of_entry = *entry.GetReflection();
      Gather(of_entry.GetMessage(entry, &value), yaml::YamlPathOfKey(at, of_entry.GetString(entry, &key)));
    }
  }

  std::vector<NamedPath> paths_;
};

std::vector<NamedPath> FoldersOfWorkspaces(const FilesSettings& settings) {
  std::vector<NamedPath> folders;
  if (!settings.root().empty()) folders.push_back(Named("files.root", settings.root()));
  for (const auto& [id, path] : settings.workspaces()) {
    folders.push_back(Named(yaml::YamlPathOfKey("files.workspaces", id), path));
  }
  std::sort(folders.begin(), folders.end(),
            [](const NamedPath& a, const NamedPath& b) { return a.setting < b.setting; });
  return folders;
}

std::string Shown(const NamedPath& named) {
  const std::string real = named.path.string();
  return real == named.written ? real : absl::StrCat(named.written, " (", real, ")");
}

}  // namespace

void CheckOverlaps(const toolgate::config::v1::Config& config, const std::string& file,
                   security::ReportProblem report) {
  const std::vector<NamedPath> folders = FoldersOfWorkspaces(config.families().GetExtension(FilesSettings::files));
  if (folders.empty()) return;
  PathsOfSettings settings;
  settings.Gather(config, "");
  std::vector<NamedPath> own = settings.Take();
  if (!file.empty()) own.push_back(Named("the configuration file", file));
  for (const NamedPath& folder : folders) {
    for (const NamedPath& other : own) {
      if (IsIn(other, folder)) {
        report(folder.setting, absl::StrCat("the folder ", Shown(folder), " holds ", Shown(other), ", ", other.setting,
                                            ", which tools could then read or replace; move one out of the other"));
      } else if (IsIn(folder, other)) {
        report(folder.setting, absl::StrCat("the folder ", Shown(folder), " lies in ", Shown(other), ", ",
                                            other.setting, ", which is the service's own; move it out of there"));
      }
    }
    for (const NamedPath& other : folders) {
      if (&folder == &other || !IsIn(folder, other)) continue;
      report(folder.setting, absl::StrCat("the folder ", Shown(folder), " lies in ", Shown(other), ", ", other.setting,
                                          "; each needs a folder of its own"));
    }
  }
}

}  // namespace toolgate::services::config
