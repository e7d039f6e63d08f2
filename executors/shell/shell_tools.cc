#include "executors/shell/shell_tools.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "executors/files/files_tools.h"
#include "executors/shell/shell_defaults.h"
#include "executors/shell/shell_definitions.h"
#include "observability/sampled_metric.h"

namespace toolgate::executors::shell {
namespace {

sandbox::Scratch ScratchOf(ShellSettings::Scratch scratch) {
  switch (scratch) {
    case ShellSettings::MEMORY:
      return sandbox::Scratch::kMemory;
    case ShellSettings::DISK:
      return sandbox::Scratch::kDisk;
    case ShellSettings::AUTO:
      break;
  }
  return sandbox::Scratch::kAuto;
}

sandbox::Groups GroupsOf(ShellSettings::Cgroup::Use use) {
  switch (use) {
    case ShellSettings::Cgroup::REQUIRE:
      return sandbox::Groups::kRequire;
    case ShellSettings::Cgroup::OFF:
      return sandbox::Groups::kOff;
    case ShellSettings::Cgroup::AUTO:
      break;
  }
  return sandbox::Groups::kAuto;
}

GitUse GitUseOf(const ShellSettings& settings) {
  if (!settings.show_git()) return GitUse::kHidden;
  return settings.git() == ShellSettings::READ_ONLY ? GitUse::kReadOnly : GitUse::kKeep;
}

std::vector<ToolHandlers> Handlers(const std::shared_ptr<Bash>& bash) {
  ToolHandlers row;
  row.id = "Bash";
  row.run = EffectHandler([bash](ToolContext& context, EffectSession& session) { return bash->Run(context, session); });
  row.preview = Bash::MakePreview;
  row.recover = [bash](ToolContext& context, EffectSession& session) { return bash->Recover(context, session); };
  return {std::move(row)};
}

void AddMetrics(const AddMetric& add, const std::shared_ptr<Bash>& bash, int max_running) {
  using observability::SampledMetric;
  if (add == nullptr) return;
  add(observability::SampledValue("toolgate_shell_commands_running", "Shell commands that run.",
                                  [bash] { return static_cast<double>(bash->running()); }));
  add(observability::SampledValue("toolgate_shell_commands_limit", "Most shell commands that may run.",
                                  [max_running] { return static_cast<double>(max_running); }));
  SampledMetric failures{
      {"toolgate_shell_failures_total", "Shell commands that came to no end of their own.", {"reason"}, {}},
      SampledMetric::Kind::kCounter,
      [bash] { return bash->FailureCounts(); }};
  for (const std::string_view reason : Bash::kFailures) failures.rows.rows.push_back({std::string(reason)});
  add(std::move(failures));
}

bool HasDirectories(const files::FilesSettings& settings) {
  return !settings.root().empty() || !settings.workspaces().empty();
}

absl::StatusOr<FamilyTools> ShellTools(const FamilyContext& context) {
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directories> directories, files::DirectoriesOf(context));
  const ShellSettings& settings = context.settings.GetExtension(ShellSettings::shell);
  FamilyTools tools;
  tools.available = directory::AvailabilityOf(directories);
  std::shared_ptr<sandbox::Sandbox> sandbox;
  if (HasDirectories(context.settings.GetExtension(files::FilesSettings::files))) {
    absl::StatusOr<std::unique_ptr<sandbox::Sandbox>> made =
        sandbox::Sandbox::Create(SandboxOptionsOf(settings, context.data_dir));
    if (made.ok()) {
      sandbox = *std::move(made);
    } else {
      tools.available = AbsentBecause(std::string(made.status().message()));
    }
  }
  BashOptions options = BashOptionsOf(settings);
  options.shares = context.shares;
  const auto bash = std::make_shared<Bash>(directories, std::move(sandbox), options);
  AddMetrics(context.add_metric, bash, settings.max_running());
  tools.handlers = Handlers(bash);
  return tools;
}

}  // namespace

Family ShellFamily() {
  return {
      "shell", &DefinitionFiles(), ShellTools, SettingsOf<ShellSettings>(DefaultFiles().front()), {"shell:execute"}};
}

sandbox::Sandbox::Options SandboxOptionsOf(const ShellSettings& settings, const std::string& data_dir) {
  sandbox::Sandbox::Options options;
  options.bubblewrap = settings.bubblewrap();
  options.max_running = settings.max_running();
  options.scratch = ScratchOf(settings.scratch());
  options.groups = GroupsOf(settings.cgroup());
  if (!data_dir.empty()) options.scratch_folder = std::filesystem::absolute(data_dir) / "shell";
  options.limits = {.max_processes = settings.max_processes(),
                    .max_memory_bytes = settings.max_memory_bytes(),
                    .max_cpu = FromProtoDuration(settings.max_cpu()),
                    .max_file_bytes = settings.max_file_bytes(),
                    .max_changed_bytes = settings.max_changed_bytes(),
                    .max_changed_files = settings.max_changed_files(),
                    .max_temporary_bytes = settings.max_temporary_bytes(),
                    .max_temporary_files = settings.max_temporary_files(),
                    .max_open_files = settings.max_open_files()};
  return options;
}

BashOptions BashOptionsOf(const ShellSettings& settings) {
  return {.max_output_bytes = static_cast<size_t>(settings.max_output_bytes()),
          .max_streamed_bytes = settings.max_streamed_bytes(),
          .hidden = {.show_git = settings.show_git()},
          .git = GitUseOf(settings),
          .max_running = settings.max_running()};
}

}  // namespace toolgate::executors::shell
