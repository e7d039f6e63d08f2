// A family of tools: everything that one folder of executors registers, its settings included.
#ifndef TOOLGATE_EXECUTORS_FAMILY_H_
#define TOOLGATE_EXECUTORS_FAMILY_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/embedded_file.h"
#include "common/fairness/fair_shares.h"
#include "common/fairness/memory_budget.h"
#include "common/http/client_pool.h"
#include "common/yaml/config_rules.h"
#include "executors/catalog.h"
#include "executors/shared_parts.h"
#include "executors/tool.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "observability/blob_operation.h"
#include "observability/provider_call.h"
#include "observability/sampled_metric.h"
#include "toolgate/config/v1/families.pb.h"

namespace toolgate::executors {

// By the kind of effect: in the store, or outside of it.
using AnyReverser = std::variant<Reverser, OutsideReverser>;
using Reversers = absl::flat_hash_map<std::string, AnyReverser>;

// A family's section of the configuration: a message of its own, in a .proto file of its own folder, with ranges as
// options at its fields. It is declared as an extension of Families; the extension's name is the section's key.
//
//   message ClockSettings {
//     extend toolgate.config.v1.Families { optional ClockSettings clock = 1007; }
//     // Alarms that ring at a time.
//     optional int32 max_alarms = 1 [(toolgate.config.v1.integer_range) = {min: 1, max: 100}];
//   }
//
// Handlers are made once, so every such setting is fixed until a restart.
struct FamilySettings {
  const google::protobuf::FieldDescriptor* field;
  // YAML of the message, without the key: a value for every field. The only place where defaults stand.
  EmbeddedFile defaults;
  // Reports what is wrong beyond ranges, with paths from the root of the configuration. Null: nothing can be.
  std::function<void(const google::protobuf::Message& settings, yaml::ReportProblem)> check = nullptr;
};

// Takes a metric of a family: shown with those of the service, for as long as it runs. The name begins with "toolgate_"
// and the family's own.
using AddMetric = std::function<void(observability::SampledMetric metric)>;

// Settings and functions that a family is made with. Borrowed while it is made. The functions may be kept; those about
// other families may be called only in handlers, which run when the catalogue is complete.
struct FamilyContext {
  const config::v1::Families& settings;                       // With a section for each family that has settings.
  std::string data_dir;                                       // The service's data directory; empty: there is none.
  std::vector<std::string> critical_fields;                   // Data keys of a block whose change needs approval.
  MayUseTool may_use_tool;                                    // Unset: everybody may use every tool.
  IsToolOn is_tool_on;                                        // Unset: all switches are on.
  std::function<const Tool*(std::string_view id)> find_tool;  // Null when there is none.
  std::function<const AnyReverser*(std::string_view kind)> find_reverser;  // Null when no family takes that back.
  AddMetric add_metric;                            // Null: nobody shows metrics. To be called while the family is made.
  observability::OnProviderCall on_provider_call;  // For ProviderCall; may be kept. Null: nobody is told.
  observability::OnProviderFailure on_provider_failure;  // Likewise.
  observability::OnBlobOperation on_blob_operation;      // Likewise.
  std::shared_ptr<http::ClientPool> http_clients;        // For requests to other services; to be kept. Never null.
  // Memory of all queries together; to be kept. Never null.
  std::shared_ptr<fairness::MemoryBudget> query_memory;
  // Of whatever else of a family's own one caller could take from the others.
  fairness::Shares shares;
  std::shared_ptr<SharedParts> parts;  // Those of the catalogue. Never null.
};

// Members of a family in the catalogue, besides its definitions.
struct FamilyTools {
  std::vector<ToolHandlers> handlers;  // Recoverers are among them.
  std::vector<ToolSwitch> switches = {};
  Reversers reversers = {};  // Of the effects that its tools record.
  // Of those of its tools that have none of their own: no list shows a tool that cannot serve the caller, and a call is
  // refused with the reason. Its recoverers and reversers are used nevertheless.
  Availability available = nullptr;
};

struct Family {
  std::string_view name;  // Its folder's.
  const std::vector<EmbeddedFile>* definitions;
  // An error names the setting or circumstance that makes the family impossible.
  std::function<absl::StatusOr<FamilyTools>(const FamilyContext&)> make;
  std::optional<FamilySettings> settings = std::nullopt;
  // Permissions that it brings, each "domain:action". Definitions, roles and tokens may name these, those of other
  // families and the service's own (security/authorization/permissions.cc); any other is an error. A family grants
  // nothing: callers have its permissions through a role of the configuration, or through "*".
  std::vector<std::string> permissions = {};
};

// The settings of the message `Settings`, which declares its extension of Families inside itself.
template <typename Settings>
FamilySettings SettingsOf(const EmbeddedFile& defaults) {
  const google::protobuf::Descriptor& type = *Settings::descriptor();
  return {type.extension_count() == 0 ? nullptr : type.extension(0), defaults};
}

// Inputs of a catalogue besides its families.
struct CatalogOptions {
  config::v1::Families settings = {};             // A section that is not set has its defaults.
  std::vector<std::string> critical_fields = {};  // See FamilyContext, as for those that follow.
  MayUseTool may_use_tool = nullptr;
  IsToolOn is_tool_on = nullptr;
  std::string data_dir = {};
  AddMetric add_metric = nullptr;
  observability::OnProviderCall on_provider_call = nullptr;
  observability::OnProviderFailure on_provider_failure = nullptr;
  observability::OnBlobOperation on_blob_operation = nullptr;
  std::shared_ptr<http::ClientPool> http_clients = nullptr;        // Null: the families share one of their own.
  std::shared_ptr<fairness::MemoryBudget> query_memory = nullptr;  // Null: likewise.
  fairness::Shares shares = {};
};

// INVALID_ARGUMENT, naming the family, file or tool, when a definition, a family or the list is wrong.
absl::StatusOr<std::shared_ptr<const Catalog>> MakeCatalog(const std::vector<Family>& families,
                                                           const CatalogOptions& options);

// Sets every section of `settings` that is not set to its defaults. INVALID_ARGUMENT when two families share a key, a
// key is a field of the configuration itself, or defaults cannot be read.
absl::Status AddDefaults(const std::vector<Family>& families, config::v1::Families& settings);

// The fields that families' settings stand in, for YamlOptions (common/yaml/yaml_proto.h).
std::vector<const google::protobuf::FieldDescriptor*> SettingsFields(const std::vector<Family>& families);

// Reports what families' own checks find. Ranges are CheckRanges' (common/yaml/config_rules.h).
void CheckFamilies(const std::vector<Family>& families, const config::v1::Families& settings,
                   yaml::ReportProblem report);

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_FAMILY_H_
