#include "tests/support/outside_tool.h"

#include <string_view>
#include <utility>

#include "common/embedded_file.h"
#include "common/json.h"
#include "common/status_macros.h"

namespace toolgate::testing {
namespace {

using executors::Acted;
using executors::EffectSession;
using executors::ToolContext;

const std::vector<EmbeddedFile>& Definitions() {
  static const auto* const files = new std::vector<EmbeddedFile>{
      {"executors/outside/definitions/outside_act.json",
       R"({"id": "outside_act", "name": "Act outside", "description": "Waits, and changes something outside.",
           "category": "execute", "module": "outside", "permissions": ["block:read"], "confirmation": "never",
           "annotations": {"readOnly": false, "openWorld": true}, "executor": {"kind": "native"},
           "arguments": {"type": "object"}, "result": {"type": "object"},
           "examples": [{"description": "Wait", "arguments": {}, "result": {"released": true}}]})"},
      {"executors/outside/definitions/outside_look.json",
       R"({"id": "outside_look", "name": "Look outside", "description": "Waits, and changes nothing.",
           "category": "read", "module": "outside", "permissions": ["block:read"], "confirmation": "never",
           "annotations": {"readOnly": true, "openWorld": true}, "executor": {"kind": "native"},
           "arguments": {"type": "object"}, "result": {"type": "object"},
           "examples": [{"description": "Wait", "arguments": {}, "result": {"released": true}}]})"}};
  return *files;
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

executors::Family OutsideFamily(std::vector<executors::ToolHandlers> handlers) {
  return {"outside", &Definitions(),
          [handlers = std::move(handlers)](const executors::FamilyContext&) -> absl::StatusOr<executors::FamilyTools> {
            return executors::FamilyTools{handlers};
          }};
}

executors::Family OutsideFamily(OutsideWorld& world) { return OutsideFamily(OutsideHandlers(world)); }

}  // namespace toolgate::testing
