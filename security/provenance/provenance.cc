#include "security/provenance/provenance.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/digest.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/yaml/yaml_proto.h"

namespace toolgate::security::provenance {
namespace {

constexpr std::string_view kKind = "provenance";

Action ActionOf(config::v1::ProvenanceAction action) {
  switch (action) {
    case config::v1::PROVENANCE_ACTION_ALLOW:
      return Action::kAllow;
    case config::v1::PROVENANCE_ACTION_ASK:
      return Action::kAsk;
    default:
      return Action::kRefuse;
  }
}

// An unspecified action must not mean "allow".
void CheckAction(std::string_view path, config::v1::ProvenanceAction action, yaml::ReportProblem report) {
  if (action == config::v1::PROVENANCE_ACTION_UNSPECIFIED) report(path, "must be ALLOW, ASK or REFUSE");
}

// The document of the call's conversation; empty if it has none. A digest, because ids may have any length.
std::string NameOf(const ToolCall& call) {
  const Caller& caller = call.caller;
  if (!caller.conversation_id.empty()) return HexEncode(Sha256(absl::StrCat("conversation\n", caller.conversation_id)));
  if (call.request_id.empty()) return "";
  return HexEncode(Sha256(absl::StrCat("request\n", caller.user_id.size(), "\n", caller.user_id, call.request_id)));
}

}  // namespace

void CheckProvenance(const std::vector<executors::Tool>& tools, const config::v1::Provenance& config,
                     yaml::ReportProblem report) {
  CheckAction("provenance.open_world", config.open_world(), report);
  CheckAction("provenance.irreversible", config.irreversible(), report);
  CheckAction("provenance.remembered", config.remembered(), report);
  for (const auto& [id, action] : Sorted(config.tools())) {
    const std::string path = yaml::YamlPathOfKey("provenance.tools", id);
    CheckTool(path, id, tools, report);
    CheckAction(path, action, report);
  }
}

absl::StatusOr<std::unique_ptr<Provenance>> Provenance::Create(const std::vector<executors::Tool>& tools,
                                                               const config::v1::Provenance& config,
                                                               storage::Store& store) {
  RETURN_IF_ERROR(FirstProblem([&](yaml::ReportProblem report) { CheckProvenance(tools, config, report); }));
  std::vector<Action> actions(tools.size(), Action::kAllow);
  for (const executors::Tool& tool : tools) {
    const executors::Annotations& annotations = tool.definition.annotations;
    Action& action = actions[tool.index];
    if (annotations.open_world) action = std::max(action, ActionOf(config.open_world()));
    if (!annotations.reversible && !annotations.read_only) action = std::max(action, ActionOf(config.irreversible()));
    if (annotations.remembered) action = std::max(action, ActionOf(config.remembered()));
    const auto row = config.tools().find(tool.definition.id);
    if (row != config.tools().end()) action = ActionOf(row->second);
  }
  return absl::WrapUnique(new Provenance(std::move(actions), store));
}

absl::StatusOr<Action> Provenance::Decide(ToolCall& call) const {
  const Action action = actions_[call.tool->index];
  if (action == Action::kAllow) return action;
  if (storage::Transaction* const transaction = call.transaction(); transaction != nullptr) {
    RETURN_IF_ERROR(Look(*transaction, call));
  } else {
    RETURN_IF_ERROR(store_.Read(call.caller.workspace_id, call.patience(),
                                [&](storage::ReadView& view) { return Look(view, call); }));
  }
  return call.state.conversation_untrusted ? action : Action::kAllow;
}

absl::Status Provenance::Look(storage::ReadView& view, ToolCall& call) {
  if (call.state.conversation_untrusted) return absl::OkStatus();
  const std::string name = NameOf(call);
  if (name.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<std::string> mark, view.FindDocument(kKind, name));
  call.state.conversation_untrusted = mark.has_value();
  return absl::OkStatus();
}

absl::Status Provenance::MarkIn(storage::Transaction& tx, ToolCall& call) {
  RETURN_IF_ERROR(Look(tx, call));
  const std::string name = NameOf(call);
  if (call.state.conversation_untrusted || name.empty()) return absl::OkStatus();
  // The entry names the conversation, masked.
  const Json mark = {{"tool", call.tool->definition.id}, {"auditEntryId", call.audit_entry_id}};
  RETURN_IF_ERROR(tx.PutDocument(kKind, name, DumpJson(mark)));
  call.state.conversation_untrusted = true;
  return absl::OkStatus();
}

absl::Status Provenance::Mark(ToolCall& call, absl::Time now) const {
  if (call.state.conversation_untrusted || NameOf(call).empty()) return absl::OkStatus();
  // The data has arrived already, so a client that leaves now must not prevent the mark.
  const storage::ReadPatience patience{.may_wait = call.may_wait,
                                       .call_span = call.call_span(),
                                       .party = {call.caller.workspace_id, call.caller.user_id}};
  RETURN_IF_ERROR(
      store_.Read(call.caller.workspace_id, patience, [&](storage::ReadView& view) { return Look(view, call); }));
  if (call.state.conversation_untrusted) return absl::OkStatus();
  const storage::WriteContext context{call.caller.workspace_id, call.caller.user_id, call.audit_entry_id, now,
                                      call.call_span()};
  bool marked = false;
  const fibers::Cancellation never;
  absl::Status committed = store_.Commit(context, storage::CommitMode::kDurable, never, [&](storage::Transaction& tx) {
    call.state.conversation_untrusted = false;  // The store may run this more than once.
    absl::Status status = MarkIn(tx, call);
    marked = call.state.conversation_untrusted;
    return status;
  });
  // A call that believed in a mark that is not durable would not try again.
  call.state.conversation_untrusted = committed.ok() && marked;
  return committed;
}

}  // namespace toolgate::security::provenance
