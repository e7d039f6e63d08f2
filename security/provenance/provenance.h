// Conversations that have read text from outside, and what they may still do.
//
// Detectors cannot recognise an attack that reads like an ordinary request, so its effects are contained as well: once
// a tool has brought untrusted data into a conversation, tools that reach beyond the workspace, cannot be undone, or
// carry text into later conversations (which the mark does not follow) ask a person.
#ifndef TOOLGATE_SECURITY_PROVENANCE_PROVENANCE_H_
#define TOOLGATE_SECURITY_PROVENANCE_PROVENANCE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "security/config_check.h"
#include "security/tool_call.h"
#include "storage/store.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::provenance {

enum class Action { kAllow, kAsk, kRefuse };

// Reports an unspecified action, and tools that do not exist.
void CheckProvenance(const std::vector<executors::Tool>& tools, const config::v1::Provenance& config,
                     yaml::ReportProblem report);

// The mark is a document in the store, so that it applies on every replica and after a restart; nothing removes it. A
// conversation belongs to its workspace, whoever takes part in it. Calls without a conversation id are distinguished by
// user and request_id; a call with neither belongs to no conversation, and is never marked. Thread-safe.
class Provenance {
 public:
  // INVALID_ARGUMENT with the first problem of CheckProvenance. Borrows `store`.
  static absl::StatusOr<std::unique_ptr<Provenance>> Create(const std::vector<executors::Tool>& tools,
                                                            const config::v1::Provenance& config,
                                                            storage::Store& store);

  // Returns the policy for this call, and, if there is one, notes in the call whether its conversation is marked. An
  // error is the store's: then the state is unknown.
  absl::StatusOr<Action> Decide(ToolCall& call) const;

  // Whether there is a policy for this tool.
  bool Concerns(const executors::Tool& tool) const { return actions_[tool.index] != Action::kAllow; }

  // Marks the call's conversation; durable when this returns.
  absl::Status Mark(ToolCall& call, absl::Time now) const;
  // The same in a transaction that is already open.
  static absl::Status MarkIn(storage::Transaction& tx, ToolCall& call);
  // Notes in the call whether its conversation is marked.
  static absl::Status Look(storage::ReadView& view, ToolCall& call);

 private:
  Provenance(std::vector<Action> actions, storage::Store& store) : actions_(std::move(actions)), store_(store) {}

  const std::vector<Action> actions_;  // By Tool::index: in a marked conversation.
  storage::Store& store_;
};

}  // namespace toolgate::security::provenance

#endif  // TOOLGATE_SECURITY_PROVENANCE_PROVENANCE_H_
