#include "tests/support/gong_family.h"

#include <string>
#include <vector>

#include "common/embedded_file.h"
#include "common/json.h"
#include "google/protobuf/message.h"
#include "tests/support/gong_settings.pb.h"

namespace toolgate::testing {
namespace {

using executors::FamilyContext;
using executors::FamilySettings;
using executors::FamilyTools;
using executors::ReadHandler;
using executors::ToolContext;
using executors::ToolOutput;

// Of files that a build would embed.
constexpr EmbeddedFile kDefaults{"executors/gong/settings.yaml", "max_strokes: 3\npause: 1s\nmetal: bronze\n"};

const std::vector<EmbeddedFile>& Definitions() {
  static const auto* const files = new std::vector<EmbeddedFile>{
      {"executors/gong/definitions/strike_gong.json",
       R"({"id": "strike_gong", "name": "Strike the gong", "description": "Strikes the gong.", "category": "read",
           "module": "test", "permissions": ["gong:strike"], "confirmation": "never",
           "annotations": {"readOnly": true}, "executor": {"kind": "native"}, "arguments": {"type": "object"},
           "result": {"type": "object"},
           "examples": [{"description": "Three strokes", "arguments": {}, "result": {"strokes": 3}}]})"}};
  return *files;
}

absl::StatusOr<FamilyTools> GongTools(const FamilyContext& context) {
  const GongSettings settings = context.settings.GetExtension(GongSettings::gong);
  const ReadHandler strike = [settings](ToolContext&, storage::ReadView&) {
    return ToolOutput{DumpJson(Json{{"metal", settings.metal()}, {"strokes", settings.max_strokes()}})};
  };
  return FamilyTools{{{"strike_gong", strike}}};
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
  FamilySettings settings = executors::SettingsOf<GongSettings>(kDefaults);
  settings.check = CheckGong;
  return {"gong", &Definitions(), GongTools, settings};
}

}  // namespace toolgate::testing
