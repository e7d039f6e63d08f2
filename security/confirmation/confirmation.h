// The step that asks a person, where that is due, before a tool runs.
#ifndef TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_H_
#define TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/ids.h"
#include "executors/tool.h"
#include "observability/confirmation_event.h"
#include "security/config_check.h"
#include "security/confirmation/confirmation_token.h"
#include "security/layer.h"
#include "security/provenance/provenance.h"
#include "storage/store.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::confirmation {

// Reports tools that do not exist, fields without a name, and a choice that was not made. Ranges are CheckRanges'.
void CheckConfirmation(const std::vector<executors::Tool>& tools, const config::v1::Confirmation& config,
                       ReportProblem report);

// Asks for tools whose definition or whose policy says so, unless the caller's role approves by itself. A dry run, and
// a step of an automation that was approved as a whole, are not asked about: an approval of the whole stands for the
// steps of which the question showed everything.
//
// Where provenance says so, it asks whoever calls, also for a dry run that reaches beyond the workspace, or refuses
// with FORBIDDEN.
//
// A step of an automation cannot be asked about by itself: where a person is needed and none has approved it as a part
// of the whole, it is refused with FORBIDDEN.
//
// A user may have kMaxPending questions open, and a workspace ten times as many: one that asks without end, which costs
// a durable commit each time, is refused with QUOTA_EXCEEDED.
//
// With approval DECISION a good token is not enough: the stored confirmation must have been approved by a caller with
// the permission to decide. Until then the call is refused with FORBIDDEN as a failed precondition, which the same call
// and token outlive.
//
// Where a tool does what the workspace says, as an automation does, an approval holds for what it said when the
// question was asked, and so does the decision that nobody need be asked.
//
// Without a token it stores a pending confirmation and answers a request with a fresh token; with one it checks that
// the token is good, fits this very call, and was neither denied, used nor outlived. The token is used up in the
// transaction that runs the tool, or right before a dry run, so that it works once in the whole fleet. Thread-safe.
class Confirmation final : public Layer {
 public:
  static constexpr int64_t kMaxPending = 100;

  struct Dependencies {
    const config::v1::Confirmation& config;  // Copied.
    const std::vector<executors::Tool>& tools;
    std::string policy_version;  // Changes with configuration and catalogue; an approval holds for one version.
    std::string signing_key;
    storage::Store& store;
    const Clock& clock;
    IdSource& ids;
    // Whether a role of the caller approves this tool by itself.
    std::function<bool(const Caller&, const executors::Tool&)> auto_approves;
    // What policy says of a call in a conversation that has taken in data from outside; null: nothing.
    std::function<absl::StatusOr<provenance::Action>(ToolCall&)> provenance;
    // Masks personal data and secrets in the arguments shown to whoever decides.
    std::function<std::string(const Json&)> mask;
    // The same in the summaries and in the conversation's id.
    std::function<std::string(std::string_view)> mask_text;
    // Told what becomes of questions; null: nobody. Quick, and thread-safe.
    std::function<void(observability::ConfirmationEvent)> on_event = nullptr;
  };

  // INVALID_ARGUMENT with the first problem of CheckRanges or CheckConfirmation.
  static absl::StatusOr<std::unique_ptr<Confirmation>> Create(Dependencies dependencies);

  std::string_view name() const override { return "confirmation"; }
  absl::StatusOr<ToolResult> Run(ToolCall& call, Next next) override;

  // Whether definition or policy may have a person asked about this tool, provenance aside.
  bool MayAskAbout(const executors::Tool& tool) const;

 private:
  Confirmation(Dependencies dependencies, std::vector<bool> required_by_policy);

  // Whether a person might be asked about this call, roles aside.
  bool MayAsk(const ToolCall& call) const;
  absl::StatusOr<ToolResult> RunWithToken(ToolCall& call, Next next) const;
  void Tell(observability::ConfirmationEvent event) const {
    if (dependencies_.on_event != nullptr) dependencies_.on_event(event);
  }
  // Whether provenance demands a person.
  absl::StatusOr<bool> CheckProvenance(ToolCall& call) const;
  absl::StatusOr<executors::Preview> PreviewOf(ToolCall& call, bool untrusted) const;
  // What the tool says, of the workspace as the call sees it.
  absl::StatusOr<executors::Preview> PreviewInWorkspace(ToolCall& call) const;
  // Masked, and cut to PlannedStep::kMaxShownBytes.
  std::string ShownArguments(const Json& arguments) const;
  // The summary, and the steps if it has any; masked.
  std::string Describe(const executors::Preview& preview) const;
  absl::StatusOr<ToolResult> Ask(const ToolCall& call, const executors::Preview& preview);
  absl::Status CheckToken(ToolCall& call) const;

  const absl::Duration ttl_;
  const bool decision_needed_;
  const Dependencies dependencies_;
  const TokenSigner signer_;
  const std::vector<bool> required_by_policy_;  // By Tool::index.
};

}  // namespace toolgate::security::confirmation

#endif  // TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_H_
