// The step that asks a person, if required, before a tool runs.
#ifndef TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_H_
#define TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/wait_timer.h"
#include "common/ids.h"
#include "executors/tool.h"
#include "observability/confirmation_event.h"
#include "security/authorization/authorization.h"
#include "security/config_check.h"
#include "security/confirmation/confirmation_observer.h"
#include "security/confirmation/confirmation_token.h"
#include "security/layer.h"
#include "security/outside_text_receiver.h"
#include "security/preview_runner.h"
#include "security/provenance/provenance.h"
#include "security/safe_errors/masker.h"
#include "storage/store.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::confirmation {

// Reports tools that do not exist, fields without a name, and a choice that was not made. Ranges are CheckRanges'.
void CheckConfirmation(const std::vector<executors::Tool>& tools, const config::v1::Confirmation& config,
                       yaml::ReportProblem report);

// Asks about tools whose definition or policy requires it, unless the caller's role approves by itself. A dry run is
// not asked about, nor is a step of an automation that was approved as a whole: that approval covers the steps that the
// question showed completely.
//
// If provenance requires it, it asks every caller, also for a dry run that reaches beyond the workspace, or refuses
// with FORBIDDEN.
//
// It cannot ask about a single step of an automation: a step that needs a person and was not approved as a part of the
// whole is refused with FORBIDDEN.
//
// A question shows all of the call (question.h); its digest is part of the token, so an approval is one of what was
// shown.
//
// The questions that a user and a workspace may have open are bounded, because each costs a durable commit; further
// ones are refused with QUOTA_EXCEEDED.
//
// With approval DECISION a valid token is not enough: the stored confirmation must have been approved by a caller with
// the permission to decide. Until then the same question, with the same token, is the answer again, and is no refusal.
//
// If a tool does what the workspace says, as an automation does, an approval is valid only for the content at the time
// of the question, and so is the decision that no question is needed.
//
// Without a token it stores a pending confirmation and returns a request with a new token. With a token it checks that
// the token is valid, fits exactly this call, and was not denied, used or expired. The token is consumed in the
// transaction that runs the tool, or right before a dry run, so that it works once in the whole fleet. Thread-safe.
class Confirmation final : public Layer {
 public:
  // All borrowed but the texts and the configuration.
  struct Dependencies {
    const config::v1::Confirmation& config;  // Copied.
    const std::vector<executors::Tool>& tools;
    std::string policy_version;  // Changes with configuration and catalogue; an approval is valid for one version.
    std::string signing_key;
    storage::Store& store;
    const Clock& clock;
    IdSource& ids;
    // Knows the roles that approve a tool by themselves.
    const authorization::Authorization& authorization;
    // Policy for calls in conversations that have read data from outside.
    const provenance::Provenance& provenance;
    // Masks the conversation's id.
    const safe_errors::Masker& masker;
    ConfirmationObserver& observer;
    // Receives previews' errors that quote text from outside.
    const OutsideTextReceiver& outside_text;
    // Run previews of effects, and let them wait.
    PreviewRunner& previews;
    fibers::WaitTimer& waits;
  };

  // INVALID_ARGUMENT with the first problem of CheckRanges or CheckConfirmation.
  static absl::StatusOr<std::unique_ptr<Confirmation>> Create(Dependencies dependencies);

  std::string_view name() const override { return "confirmation"; }
  absl::StatusOr<ToolResult> Run(ToolCall& call, Next next) override;

  // Whether definition or policy may require a question about this tool, apart from provenance.
  bool MayAskAbout(const executors::Tool& tool) const;

 private:
  // Reasons that demand a question regardless of the tool's definition and the caller's roles.
  struct Reasons {
    bool untrusted;   // The conversation has taken in data from outside.
    bool suspicious;  // Layer 1 found an attack in the arguments.
  };

  Confirmation(Dependencies dependencies, std::vector<bool> required_by_policy);

  // Hands on the message of `failed` if it quotes text from outside.
  absl::Status ReceiveOutsideText(ToolCall& call, const absl::Status& failed) const;
  // Whether this call might need a question, roles aside.
  bool MayAsk(const ToolCall& call) const;
  absl::StatusOr<ToolResult> RunWithToken(ToolCall& call, Next next) const;
  void Tell(observability::ConfirmationEvent event) const { dependencies_.observer.OnConfirmation(event); }
  // Whether provenance requires a person.
  absl::StatusOr<bool> CheckProvenance(ToolCall& call) const;
  // True if layer 1 demands that a person is asked; FORBIDDEN for a step, about which no one can be.
  static absl::StatusOr<bool> CheckFindings(const ToolCall& call);
  absl::StatusOr<executors::Preview> PreviewOf(ToolCall& call, bool demanded) const;
  // The tool's own preview, of either kind.
  absl::StatusOr<executors::Preview> PreviewOfTool(ToolCall& call) const;
  // In the workspace as the call sees it.
  absl::StatusOr<executors::Preview> PreviewInWorkspace(ToolCall& call,
                                                        const executors::WorkspacePreview& handler) const;
  // Holds nothing of the store.
  absl::StatusOr<executors::Preview> PreviewOfEffect(ToolCall& call, const executors::EffectPreview& handler) const;
  executors::ToolContext ContextOf(const ToolCall& call, const fibers::Cancellation& cancellation) const;
  absl::StatusOr<ToolResult> Ask(const ToolCall& call, const executors::Preview& preview, Reasons reasons);
  absl::Status CheckRoomForQuestion(storage::ReadView& view, const std::string& user_id, absl::Time now) const;
  // The stored question once more; the parts of it that are not stored, as the workspace is now.
  ToolResult AskAgain(ToolCall& call, const storage::Confirmation& row) const;
  // Adds the parts of a question that are not stored.
  void Complete(const ToolCall& call, const executors::Preview& preview, ConfirmationRequest& request) const;
  // The stored question if it waits for a decision; nothing if the call may run, with its approval set.
  absl::StatusOr<std::optional<ToolResult>> CheckToken(ToolCall& call) const;

  const absl::Duration ttl_;
  const bool decision_needed_;
  const int64_t max_pending_per_user_;
  const int64_t max_pending_per_workspace_;
  const size_t max_question_bytes_;
  const Dependencies dependencies_;
  const TokenSigner signer_;
  const std::vector<bool> required_by_policy_;  // By Tool::index.
};

}  // namespace toolgate::security::confirmation

#endif  // TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_H_
