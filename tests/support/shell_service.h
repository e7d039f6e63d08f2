// A service that runs shell commands without asking, in a process of its own that can end itself with SIGKILL at any
// step of a command's commit.
#ifndef TOOLGATE_TESTS_SUPPORT_SHELL_SERVICE_H_
#define TOOLGATE_TESTS_SUPPORT_SHELL_SERVICE_H_

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/embedded_file.h"
#include "executors/directory/change_set.h"
#include "executors/directory/directories.h"
#include "executors/shell/bash.h"
#include "executors/shell/shell_definitions.h"
#include "executors/undo/undo_definitions.h"
#include "executors/undo/undo_tool.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/directory_limits.h"
#include "tests/support/mortal_process.h"
#include "tests/support/sandbox_options.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"

namespace toolgate::testing {

// A catalogue of "Bash", which asks nobody, and "undo", for one workspace "w", whose directory is `folder`.
inline std::shared_ptr<const executors::Catalog> ShellCatalog(const std::string& folder,
                                                              std::function<void(std::string_view)> on_step) {
  namespace directory = executors::directory;
  namespace shell = executors::shell;
  const auto directories = std::make_shared<directory::Directories>(directory::Directories::Options{
      "", {{"w", folder}}, directory::DenyList::Create({}).value(), kDirectoryLimits, std::move(on_step)});
  std::shared_ptr<shell::sandbox::Sandbox> sandbox = shell::sandbox::Sandbox::Create(SandboxOptions()).value();
  const auto bash = std::make_shared<shell::Bash>(
      directories, std::move(sandbox),
      shell::BashOptions{
          .max_output_bytes = size_t{64} << 10, .max_streamed_bytes = int64_t{16} << 20, .hidden = {.show_git = true}});
  std::vector<executors::ToolDefinition> definitions;
  for (const EmbeddedFile& file : {shell::DefinitionFiles().front(), executors::undo::DefinitionFiles().front()}) {
    definitions.push_back(executors::ParseToolDefinition(file.path, file.text).value());
    definitions.back().confirmation = executors::ConfirmationRule::kNever;
  }
  executors::ToolHandlers row;
  row.id = "Bash";
  row.run = executors::EffectHandler([bash](executors::ToolContext& context, executors::EffectSession& session) {
    return bash->Run(context, session);
  });
  row.recover = [bash](executors::ToolContext& context, executors::EffectSession& session) {
    return bash->Recover(context, session);
  };
  const auto reverser = std::make_shared<const executors::AnyReverser>(directory::FilesReverser(directories));
  std::vector<executors::ToolHandlers> handlers = {std::move(row)};
  handlers.push_back(executors::undo::UndoTool(nullptr, [reverser](std::string_view kind) {
    return kind == directory::kFilesEffect ? reverser.get() : nullptr;
  }));
  return executors::Catalog::Create(std::move(definitions), handlers).value();
}

// A service over the folder "workspace" of `dir`. Ends at the `kill_at`-th point: around each commit of the store, and
// at each step of a change of the directory.
class ShellProcess {
 public:
  explicit ShellProcess(const std::string& dir, int kill_at = MortalProcess::kNever) : points_(kill_at) {
    TestStoreOptions options;
    options.data_dir = dir + "/data";
    sqlite_ = MakeTestStore(options);
    store_ = std::make_unique<DeadlyStore>(*sqlite_, points_);
    core_ = std::make_unique<TestCore>(*store_, Clock::Real(), services::config::Load({}).value(),
                                       ShellCatalog(dir + "/workspace", [this](std::string_view) { points_.Pass(); }));
  }

  int64_t Recover() {
    using services::execution::Recovery;
    return core_->core().ResolveAbandonedClaims(Recovery::Abandoned::kNotOwnRunning, nullptr).value();
  }
  absl::StatusOr<security::ToolResult> Run(const std::string& command, const std::string& key = "") {
    const auto call = core_->Call("Bash");
    call->SetArguments({{"command", command}});
    call->idempotency_key = key;
    return core_->Run(*call);
  }
  absl::StatusOr<security::ToolResult> Undo(const std::string& key = "") {
    const auto call = core_->Call("undo");
    call->internal = executors::InternalTool::kUndo;
    call->idempotency_key = key;
    return core_->Run(*call);
  }
  TestCore& core() { return *core_; }
  storage::Store& store() { return *sqlite_; }

 private:
  KillPoints points_;
  std::unique_ptr<storage::Store> sqlite_;
  std::unique_ptr<DeadlyStore> store_;
  std::unique_ptr<TestCore> core_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_SHELL_SERVICE_H_
