#include "executors/family.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/yaml/yaml_proto.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::executors {
namespace {

using config::v1::Families;
using google::protobuf::Message;

absl::Status Invalid(const Family& family, std::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("family \"", ToAbsl(family.name), "\" ", ToAbsl(problem)));
}

// As `status`, naming the family.
absl::Status InFamily(const Family& family, const absl::Status& status) {
  return {status.code(), absl::StrCat("family \"", ToAbsl(family.name), "\": ", status.message())};
}

absl::Status CheckKeys(const std::vector<Family>& families) {
  std::set<std::string> keys;
  for (const Family& family : families) {
    if (!family.settings.has_value()) continue;
    const google::protobuf::FieldDescriptor* const field = family.settings->field;
    if (field == nullptr || field->containing_type() != Families::descriptor() || field->is_repeated() ||
        field->message_type() == nullptr) {
      return Invalid(family, "has settings that are no message in an extension of toolgate.config.v1.Families");
    }
    if (config::v1::Config::descriptor()->FindFieldByName(field->name()) != nullptr) {
      return Invalid(family, absl::StrCat("has settings under the key \"", field->name(),
                                          "\", which the configuration has for itself; rename the extension"));
    }
    if (!keys.insert(field->name()).second) {
      return Invalid(family, absl::StrCat("has settings under the key \"", field->name(),
                                          "\", as another family does; rename the extension"));
    }
  }
  return absl::OkStatus();
}

// Tools and reversers of all families, for handlers that ask about other ones; filled in when all are made.
struct Others {
  const Catalog* catalog = nullptr;  // The handlers are its own.
  Reversers reversers;
};

FamilyContext ContextOf(const CatalogOptions& options, const Families& settings,
                        const std::shared_ptr<const Others>& others) {
  const auto find_tool = [others](std::string_view id) -> const Tool* {
    return others->catalog == nullptr ? nullptr : others->catalog->Find(id);
  };
  const auto find_reverser = [others](std::string_view kind) -> const AnyReverser* {
    const auto found = others->reversers.find(ToAbsl(kind));
    return found == others->reversers.end() ? nullptr : &found->second;
  };
  return {settings,
          options.data_dir,
          options.critical_fields,
          options.may_use_tool,
          options.is_tool_on,
          find_tool,
          find_reverser,
          options.add_metric,
          options.on_provider_call,
          options.on_provider_failure,
          options.on_blob_operation,
          options.http_clients == nullptr ? std::make_shared<http::ClientPool>() : options.http_clients,
          options.query_memory == nullptr ? std::make_shared<fairness::MemoryBudget>(fairness::MemoryBudget::Options())
                                          : options.query_memory,
          options.shares,
          std::make_shared<SharedParts>()};
}

// Everything that the families bring.
struct Gathered {
  std::vector<ToolDefinition> definitions;
  std::vector<ToolHandlers> handlers;
  std::vector<ToolSwitch> switches;
  Reversers reversers;
  std::vector<std::string> permissions;
};

absl::Status GatherPermissions(const Family& family, std::vector<std::string>& gathered) {
  for (const std::string& permission : family.permissions) {
    if (std::find(gathered.begin(), gathered.end(), permission) != gathered.end()) {
      return Invalid(family, absl::StrCat("declares the permission \"", permission,
                                          "\", as another family does; its definitions may name it nevertheless"));
    }
    gathered.push_back(permission);
  }
  return absl::OkStatus();
}

absl::Status Gather(const Family& family, const FamilyContext& context, Gathered& gathered) {
  for (const EmbeddedFile& file : *family.definitions) {
    ASSIGN_OR_RETURN(ToolDefinition definition, ParseToolDefinition(file.path, file.text));
    gathered.definitions.push_back(std::move(definition));
  }
  RETURN_IF_ERROR(GatherPermissions(family, gathered.permissions));
  absl::StatusOr<FamilyTools> tools = family.make(context);
  if (!tools.ok()) return InFamily(family, tools.status());
  for (ToolHandlers& row : tools->handlers) {
    if (row.available == nullptr) row.available = tools->available;
    gathered.handlers.push_back(std::move(row));
  }
  for (ToolSwitch& row : tools->switches) gathered.switches.push_back(std::move(row));
  for (auto& [kind, reverser] : tools->reversers) {
    if (gathered.reversers.emplace(kind, std::move(reverser)).second) continue;
    return Invalid(family, absl::StrCat("takes back effects of the kind \"", kind, "\", as another family does"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Catalog>> MakeCatalog(const std::vector<Family>& families,
                                                           const CatalogOptions& options) {
  Families settings = options.settings;
  RETURN_IF_ERROR(AddDefaults(families, settings));
  const auto others = std::make_shared<Others>();
  const FamilyContext context = ContextOf(options, settings, others);
  Gathered gathered;
  for (const Family& family : families) RETURN_IF_ERROR(Gather(family, context, gathered));
  ASSIGN_OR_RETURN(std::shared_ptr<const Catalog> catalog,
                   Catalog::Create(std::move(gathered.definitions), gathered.handlers, gathered.switches,
                                   std::move(gathered.permissions)));
  others->catalog = catalog.get();
  others->reversers = std::move(gathered.reversers);
  return catalog;
}

absl::Status AddDefaults(const std::vector<Family>& families, Families& settings) {
  RETURN_IF_ERROR(CheckKeys(families));
  for (const Family& family : families) {
    if (!family.settings.has_value()) continue;
    const auto& [field, defaults, check] = *family.settings;
    if (settings.GetReflection()->HasField(settings, field)) continue;
    Message& section = *settings.GetReflection()->MutableMessage(&settings, field);
    yaml::YamlPlaces places;  // Of no use to anyone: a default is not the user's to mend.
    if (absl::Status read = yaml::MergeYaml(defaults.path, defaults.text, yaml::YamlOptions(), section, places);
        !read.ok()) {
      return InFamily(family, read);
    }
  }
  return absl::OkStatus();
}

std::vector<const google::protobuf::FieldDescriptor*> SettingsFields(const std::vector<Family>& families) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  for (const Family& family : families) {
    if (family.settings.has_value()) fields.push_back(family.settings->field);
  }
  return fields;
}

void CheckFamilies(const std::vector<Family>& families, const Families& settings, yaml::ReportProblem report) {
  for (const Family& family : families) {
    if (!family.settings.has_value() || family.settings->check == nullptr) continue;
    family.settings->check(settings.GetReflection()->GetMessage(settings, family.settings->field), report);
  }
}

}  // namespace toolgate::executors
