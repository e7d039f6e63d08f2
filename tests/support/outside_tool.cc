#include "tests/support/outside_tool.h"

#include <string_view>
#include <utility>

#include "common/json.h"
#include "common/status_macros.h"
#include "tests/support/test_tools.h"

namespace toolgate::testing {
namespace {

using executors::Acted;
using executors::EffectSession;
using executors::ToolContext;

executors::ToolDefinition DefinitionOf(std::string_view id, bool read_only) {
  executors::ToolDefinition definition = MakeTool(id, 0).definition;
  definition.display_name = id;
  definition.annotations.read_only = read_only;
  definition.annotations.open_world = true;
  return definition;
}

absl::StatusOr<Acted> WaitFor(OutsideWorld& world, EffectSession& session) {
  for (const std::string& piece : world.output) {
    RETURN_IF_ERROR(session.Output("stdout", piece));
    world.CountSent();
  }
  fibers::Event released;
  world.Enter(released);
  const absl::StatusOr<bool> waited = session.Wait(released, world.patience);
  world.Leave(released);
  RETURN_IF_ERROR(waited.status());
  Acted acted;
  acted.output.data_json = DumpJson(Json{{"released", *waited}});
  return acted;
}

}  // namespace

void OutsideWorld::Release() {
  absl::MutexLock lock(&mutex_);
  for (fibers::Event* const event : events_) event->Set();
}

int OutsideWorld::waiting() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int>(events_.size());
}

void OutsideWorld::AwaitWaiting(int count) const {
  absl::MutexLock lock(&mutex_);
  const auto reached = [&]()
                           ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return static_cast<int>(events_.size()) == count; };
  mutex_.Await(absl::Condition(&reached));
}

void OutsideWorld::Enter(fibers::Event& event) {
  absl::MutexLock lock(&mutex_);
  events_.insert(&event);
}

void OutsideWorld::Leave(fibers::Event& event) {
  absl::MutexLock lock(&mutex_);
  events_.erase(&event);
}

std::vector<executors::ToolDefinition> OutsideDefinitions() {
  return {DefinitionOf("outside_act", false), DefinitionOf("outside_look", true)};
}

std::vector<executors::ToolHandlers> OutsideHandlers(OutsideWorld& world) {
  const auto wait = [&world](ToolContext&, EffectSession& session) { return WaitFor(world, session); };
  std::vector<executors::ToolHandlers> handlers(2);
  handlers[0].id = "outside_act";
  handlers[0].run = executors::EffectHandler(wait);
  handlers[0].recover = [](ToolContext&, EffectSession&) -> absl::StatusOr<executors::Recovered> {
    return executors::Recovered{executors::Recovered::Outcome::kRolledBack, {}};
  };
  handlers[1].id = "outside_look";
  handlers[1].run = executors::EffectHandler(wait);
  return handlers;
}

std::shared_ptr<const executors::Catalog> OutsideCatalog(OutsideWorld& world) {
  return executors::Catalog::Create(OutsideDefinitions(), OutsideHandlers(world)).value();
}

}  // namespace toolgate::testing
