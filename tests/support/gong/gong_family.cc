#include "tests/support/gong/gong_family.h"

#include <string>

#include "common/json.h"
#include "google/protobuf/message.h"
#include "storage/store.h"
#include "tests/support/gong/gong_defaults.h"
#include "tests/support/gong/gong_definitions.h"
#include "tests/support/gong/settings.pb.h"

namespace toolgate::testing {
namespace {

using executors::FamilyContext;
using executors::FamilySettings;
using executors::FamilyTools;
using executors::ReadHandler;
using executors::ToolContext;
using executors::ToolOutput;

absl::StatusOr<FamilyTools> GongTools(const FamilyContext& context) {
  const GongSettings settings = context.settings.GetExtension(GongSettings::gong);
  const ReadHandler strike = [settings](ToolContext&, storage::ReadView&) {
    return ToolOutput{DumpJson(Json{{"metal", settings.metal()}, {"strokes", settings.max_strokes()}})};
  };
  const executors::SwitchHandler is_on = [settings](const Caller& caller, storage::ReadView&) {
    return settings.volumes().empty() || settings.volumes().contains(caller.user_id);
  };
  return FamilyTools{{{"strike_gong", strike}}, {{"gong", is_on}}};
}

void CheckGong(const google::protobuf::Message& section, yaml::ReportProblem report) {
  GongSettings settings;
  settings.CopyFrom(section);
  if (settings.metal() != "bronze" && settings.metal() != "brass") {
    report("gong.metal", "is no metal of gongs; must be bronze or brass");
  }
}

}  // namespace

executors::Family GongFamily() {
  FamilySettings settings = executors::SettingsOf<GongSettings>(gong::DefaultFiles().front());
  settings.check = CheckGong;
  return {"gong", &gong::DefinitionFiles(), GongTools, settings, {"gong:strike", "gong:wake"}};
}

}  // namespace toolgate::testing
