#include "tests/support/scratch_tool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "common/embedded_file.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/undo/undo_definitions.h"
#include "executors/undo/undo_tool.h"
#include "executors/workspace/trigger_automation.h"
#include "executors/workspace/workspace_definitions.h"
#include "tests/support/test_tools.h"

namespace toolgate::testing {
namespace {

using executors::Acted;
using executors::EffectSession;
using executors::Recovered;
using executors::ToolContext;
using storage::Effect;

constexpr char kKind[] = "scratch";
constexpr char kStaged[] = ".staged";

// Content of one write: the checkpoint, and the payload of its effect. Unset: there is no such file.
struct Change {
  std::string name;
  std::optional<std::string> before;
  std::optional<std::string> after;
};

std::string ToText(const Change& change) {
  Json json{{"name", change.name}};
  if (change.before.has_value()) json["before"] = *change.before;
  if (change.after.has_value()) json["after"] = *change.after;
  return DumpJson(json);
}

Change FromText(std::string_view text) {
  const Json json = Json::parse(text);
  const auto member = [&](const char* name) {
    return json.contains(name) ? std::optional(json[name].get<std::string>()) : std::nullopt;
  };
  return {json["name"].get<std::string>(), member("before"), member("after")};
}

class Scratch {
 public:
  Scratch(std::string folder, const ScratchHooks& hooks) : folder_(std::move(folder)), hooks_(hooks) {}

  absl::StatusOr<Acted> Write(ToolContext& context, EffectSession& session) const {
    Change change{std::string(executors::StringArgument(context.arguments, "name")), std::nullopt,
                  std::string(executors::StringArgument(context.arguments, "text"))};
    change.before = Present(change.name);
    if (context.dry_run) return ActedBy(change);
    At("begun");
    RETURN_IF_ERROR(session.Checkpoint(ToText(change)));
    RETURN_IF_ERROR(Act(change, session));
    return ActedBy(change);
  }

  absl::StatusOr<Acted> Read(ToolContext& context, EffectSession&) const {
    const auto text = Present(executors::StringArgument(context.arguments, "name"));
    if (!text.has_value()) return MakeError(ErrorCode::kNotFound, "there is no such file");
    Acted acted;
    acted.output.data_json = DumpJson(Json{{"text", *text}});
    acted.output.untrusted = true;
    return acted;
  }

  absl::StatusOr<Acted> Send(ToolContext& context, EffectSession& session) const {
    Acted acted;
    acted.output.data_json = "{}";
    if (context.dry_run) return acted;
    RETURN_IF_ERROR(session.Checkpoint("sending"));
    At("sending");
    std::ofstream(folder_ + "/../sent", std::ios::app) << session.key() << "\n";
    At("sent");
    return acted;
  }

  static absl::StatusOr<Recovered> RecoverSend(ToolContext&, EffectSession& session) {
    if (session.checkpoint().empty()) return Recovered{Recovered::Outcome::kRolledBack, {}};
    return Recovered{Recovered::Outcome::kUnknown, {}};
  }

  absl::StatusOr<Recovered> Recover(ToolContext&, EffectSession& session) const {
    if (hooks_.fail_recovery != nullptr) RETURN_IF_ERROR(hooks_.fail_recovery());
    if (session.checkpoint().empty()) return Recovered{Recovered::Outcome::kRolledBack, {}};
    const Change change = FromText(session.checkpoint());
    std::filesystem::remove(PathOf(change.name) + kStaged);
    if (Present(change.name) != change.after) return Recovered{Recovered::Outcome::kRolledBack, {}};
    return Recovered{Recovered::Outcome::kFinished, ActedBy(change)};
  }

  absl::StatusOr<Effect> Reverse(const Effect& effect, ToolContext&, EffectSession& session) const {
    const Change done = FromText(effect.payload);
    const Change back{done.name, done.after, done.before};
    const std::optional<std::string> present = Present(done.name);
    if (present != back.after) {
      if (present != back.before) return MakeError(ErrorCode::kConflict, "the file has changed since");
      At("begun");
      RETURN_IF_ERROR(Act(back, session));
    }
    return Effect{kKind, ToText(back)};
  }

 private:
  std::string PathOf(std::string_view name) const { return folder_ + "/" + std::string(name); }
  void At(std::string_view place) const {
    if (hooks_.at != nullptr) hooks_.at(place);
  }
  std::optional<std::string> Present(std::string_view name) const {
    if (!std::filesystem::exists(PathOf(name))) return std::nullopt;
    return ReadScratch(PathOf(name));
  }

  absl::Status Act(const Change& change, EffectSession& session) const {
    const std::string staged = PathOf(change.name) + kStaged;
    if (change.after.has_value()) std::ofstream(staged) << *change.after;
    At("staged");
    if (hooks_.fail != nullptr) {
      if (absl::Status failed = hooks_.fail(); !failed.ok()) {
        std::filesystem::remove(staged);
        return failed;
      }
    }
    At("about to rename");
    if (change.after.has_value()) {
      std::filesystem::rename(staged, PathOf(change.name));
    } else {
      std::filesystem::remove(PathOf(change.name));
    }
    std::ofstream(folder_ + "/../acts", std::ios::app) << session.key() << "\n";
    At("renamed");
    return absl::OkStatus();
  }

  static Acted ActedBy(const Change& change) {
    Acted acted;
    acted.output.data_json = DumpJson(Json{{"bytes", change.after.value_or("").size()}});
    acted.output.description = "Wrote " + change.name;
    acted.settle = [effect = Effect{kKind, ToText(change)}](storage::Transaction& tx) {
      return tx.RecordEffect(effect);
    };
    return acted;
  }

  const std::string folder_;
  const ScratchHooks& hooks_;
};

executors::ToolDefinition DefinitionOf(std::string_view id, bool read_only) {
  executors::ToolDefinition definition = MakeTool(id, 0).definition;
  definition.display_name = id;
  definition.annotations.read_only = read_only;
  return definition;
}

absl::StatusOr<executors::ToolOutput> MakePlainBlock(ToolContext&, storage::Transaction& tx) {
  ASSIGN_OR_RETURN(const storage::Block block, tx.CreateBlock({"", "page", "", R"({"title":"plain"})", std::nullopt}));
  executors::ToolOutput output;
  output.data_json = DumpJson(Json{{"id", block.id}});
  output.description = "Made a page";
  return output;
}

executors::workspace::ToolTraits TraitsOf(std::string_view id) {
  const bool settles_alone = id == "scratch_read" || id == "scratch_send" || id == "scratch_write";
  return {.read_only = id == "scratch_read", .reversible = id != "scratch_send", .settles_alone = settles_alone};
}

executors::ToolDefinition AutomationDefinition(bool asks) {
  for (const EmbeddedFile& file : executors::workspace::DefinitionFiles()) {
    executors::ToolDefinition definition = executors::ParseToolDefinition(file.path, file.text).value();
    if (definition.id != "trigger_automation") continue;
    if (!asks) definition.confirmation = executors::ConfirmationRule::kNever;
    return definition;
  }
  return {};
}

template <typename Run>
executors::ToolHandlers EffectRow(std::string_view id, Run run, executors::Recoverer recover = nullptr) {
  executors::ToolHandlers handlers;
  handlers.id = id;
  handlers.run = executors::EffectHandler(std::move(run));
  handlers.recover = std::move(recover);
  return handlers;
}

}  // namespace

std::string ReadScratch(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::shared_ptr<const executors::Catalog> ScratchCatalog(const std::string& folder, const ScratchHooks& hooks) {
  const auto scratch = std::make_shared<const Scratch>(folder, hooks);
  const EmbeddedFile& undo = executors::undo::DefinitionFiles().front();
  std::vector<executors::ToolDefinition> definitions = {
      DefinitionOf("scratch_plain", false),        DefinitionOf("scratch_read", true),
      DefinitionOf("scratch_send", false),         DefinitionOf("scratch_write", false),
      AutomationDefinition(hooks.automations_ask), executors::ParseToolDefinition(undo.path, undo.text).value()};
  definitions[2].annotations.reversible = false;
  std::vector<executors::ToolHandlers> handlers;
  handlers.push_back(EffectRow(
      "scratch_write",
      [scratch](ToolContext& context, EffectSession& session) { return scratch->Write(context, session); },
      [scratch](ToolContext& context, EffectSession& session) { return scratch->Recover(context, session); }));
  handlers.push_back(EffectRow("scratch_read", [scratch](ToolContext& context, EffectSession& session) {
    return scratch->Read(context, session);
  }));
  handlers.push_back(EffectRow(
      "scratch_send",
      [scratch](ToolContext& context, EffectSession& session) { return scratch->Send(context, session); },
      Scratch::RecoverSend));
  handlers.push_back({"scratch_plain", executors::WriteHandler(MakePlainBlock)});
  handlers.push_back(executors::workspace::TriggerAutomationTool(TraitsOf));
  const auto reverser = std::make_shared<const executors::AnyReverser>(
      executors::OutsideReverser([scratch](const Effect& effect, ToolContext& context, EffectSession& session) {
        return scratch->Reverse(effect, context, session);
      }));
  // Recovery, which has no roles, must not ask.
  const executors::MayUseTool may_use = [](const Caller& caller, std::string_view) { return !caller.roles.empty(); };
  handlers.push_back(executors::undo::UndoTool(
      may_use, [reverser](std::string_view kind) { return kind == kKind ? reverser.get() : nullptr; }));
  return executors::Catalog::Create(std::move(definitions), handlers).value();
}

}  // namespace toolgate::testing
