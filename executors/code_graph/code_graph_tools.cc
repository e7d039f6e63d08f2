#include "executors/code_graph/code_graph_tools.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "executors/code_graph/code_graph_defaults.h"
#include "executors/code_graph/code_graph_definitions.h"
#include "executors/code_graph/index/ctags_process.h"
#include "executors/code_graph/index/graph_indexes.h"
#include "executors/files/files_tools.h"
#include "observability/sampled_metric.h"

namespace toolgate::executors::code_graph {
namespace {

using directory::Directories;
using index::GraphIndexes;

void CheckCodeGraph(const google::protobuf::Message& section, yaml::ReportProblem report) {
  CodeGraphSettings settings;
  settings.CopyFrom(section);
  if (!settings.ctags().empty() && settings.ctags().front() != '/') {
    report("code_graph.ctags", "must be an absolute path, or empty");
  }
}

ToolHandlers Handlers(std::shared_ptr<Directories> directories, std::shared_ptr<GraphIndexes> indexes,
                      const QueryLimits& limits) {
  ToolHandlers handlers;
  handlers.id = "GraphQuery";
  handlers.run = EffectHandler([directories = std::move(directories), indexes = std::move(indexes), limits](
                                   ToolContext& context, EffectSession& session) {
    return GraphQuery(*directories, *indexes, limits, context, session);
  });
  return handlers;
}

void AddMetrics(const AddMetric& add, const std::shared_ptr<GraphIndexes>& indexes) {
  using observability::SampledMetric;
  if (add == nullptr) return;
  add({{"toolgate_code_graph_refreshes_under_way",
        "Code graphs that are being brought up to date, or wait for it.",
        {"state"},
        {{"waiting"}, {"running"}}},
       SampledMetric::Kind::kGauge,
       [indexes] {
         const GraphIndexes::Load load = indexes->load();
         return std::vector<double>{static_cast<double>(load.waiting), static_cast<double>(load.running)};
       }});
  add({{"toolgate_code_graph_refreshes_total",
        "Times that a code graph was brought up to date.",
        {"outcome"},
        {{"ok"}, {"failed"}}},
       SampledMetric::Kind::kCounter,
       [indexes] {
         const GraphIndexes::Load load = indexes->load();
         return std::vector<double>{static_cast<double>(load.succeeded), static_cast<double>(load.failed)};
       }});
}

bool HaveDirectories(const FamilyContext& context) {
  const files::FilesSettings& files = context.settings.GetExtension(files::FilesSettings::files);
  return !files.root().empty() || !files.workspaces().empty();
}

absl::StatusOr<FamilyTools> CodeGraphTools(const FamilyContext& context) {
  ASSIGN_OR_RETURN(std::shared_ptr<Directories> directories, files::DirectoriesOf(context));
  const CodeGraphSettings& settings = context.settings.GetExtension(CodeGraphSettings::code_graph);
  FamilyTools tools;
  tools.available = directory::AvailabilityOf(directories);
  std::string program;
  if (HaveDirectories(context)) {
    if (absl::StatusOr<std::string> found = index::FindCtags(settings.ctags()); found.ok()) {
      program = *std::move(found);
    } else {
      tools.available = AbsentBecause(absl::StrCat("the code graph is not available: ", found.status().message()));
    }
  }
  const std::string folder = context.data_dir.empty() ? std::string() : absl::StrCat(context.data_dir, "/code_graph");
  auto indexes = std::make_shared<GraphIndexes>(folder, OptionsOf(settings, std::move(program)));
  AddMetrics(context.add_metric, indexes);
  QueryLimits limits = LimitsOf(settings);
  limits.memory = context.query_memory;
  limits.places = std::make_shared<fairness::FairLine>(settings.max_running(), context.shares);
  tools.handlers.push_back(Handlers(std::move(directories), std::move(indexes), limits));
  return tools;
}

}  // namespace

Family CodeGraphFamily() {
  FamilySettings settings = SettingsOf<CodeGraphSettings>(DefaultFiles().front());
  settings.check = CheckCodeGraph;
  return {"code_graph", &DefinitionFiles(), CodeGraphTools, settings, {"graph:read"}};
}

QueryLimits LimitsOf(const CodeGraphSettings& settings) {
  return {.max_wait = FromProtoDuration(settings.max_wait()),
          .max_time = FromProtoDuration(settings.max_time()),
          .max_memory_bytes = settings.max_memory_bytes(),
          .max_rows = settings.max_rows(),
          .max_answer_bytes = settings.max_answer_bytes()};
}

index::IndexOptions OptionsOf(const CodeGraphSettings& settings, std::string ctags) {
  index::IndexOptions options;
  options.ctags = std::move(ctags);
  options.processes = settings.processes();
  options.max_files = settings.max_files();
  options.max_file_bytes = settings.max_file_bytes();
  options.max_index_bytes = settings.max_index_bytes();
  return options;
}

}  // namespace toolgate::executors::code_graph
