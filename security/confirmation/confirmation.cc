#include "security/confirmation/confirmation.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/text/visible_text.h"
#include "common/tool_error.h"
#include "common/yaml/config_rules.h"
#include "executors/outside_quote.h"
#include "security/confirmation/preview_session.h"
#include "security/confirmation/question.h"
#include "security/spent_confirmation.h"
#include "security/time_zone.h"
#include "storage/fault.h"

namespace toolgate::security::confirmation {
namespace {

using executors::ConfirmationRule;
using executors::Preview;
using observability::ConfirmationEvent;
using State = storage::Confirmation::State;

// There was no place or no time to make the question, which says nothing of its subject: the call is refused.
bool SaysNothingOfTheCall(const ToolError& error) {
  return error.code == ErrorCode::kOverloaded || error.code == ErrorCode::kCancelled ||
         error.code == ErrorCode::kTimeout;
}

// The subject of the question could not be read: the tool itself would fail in the same way, so the answer has the same
// form. The tool must not run instead, or it would run without approval if the block appeared meanwhile.
absl::StatusOr<ToolResult> Failed(const ToolCall& call, const absl::Status& status) {
  ToolResult result;
  result.error = GetToolError(status);
  if (!result.error.has_value() || SaysNothingOfTheCall(*result.error)) return status;
  result.started_at = call.arrived;
  result.ended_at = call.arrived;
  result.audit_entry_id = call.audit_entry_id;
  return result;
}

// Another call used the token, or somebody denied it, after it was checked and before it was used.
bool WasTakenMeanwhile(const absl::Status& status) {
  const std::optional<ToolError> error = GetToolError(status);
  return error.has_value() && error->code == ErrorCode::kCancelled &&
         error->refused_as == absl::StatusCode::kFailedPrecondition;
}

// The question about a call with `token`, which is in its first form when it is asked again.
ToolResult Question(const storage::Confirmation& row, std::string token, bool decision_needed) {
  ConfirmationRequest request;
  request.token = std::move(token);
  request.confirmation_id = row.id;
  request.summary = row.summary;
  request.question_digest = QuestionDigest(row.summary);
  request.expires_at = row.expires_at;
  request.needs_decision = decision_needed;
  ToolResult result;
  result.confirmation = std::move(request);
  return result;
}

absl::Status CheckState(State state, bool expired) {
  RETURN_IF_ERROR(CheckUnspent(state));
  return expired ? SpentConfirmation("the confirmation expired; send the call without a token to ask again")
                 : absl::OkStatus();
}

}  // namespace

void CheckConfirmation(const std::vector<executors::Tool>& tools, const config::v1::Confirmation& config,
                       yaml::ReportProblem report) {
  CheckTools("confirmation.require_for_tools", config.require_for_tools(), tools, report);
  for (int i = 0; i < config.critical_fields_size(); ++i) {
    if (!config.critical_fields(i).empty()) continue;
    report(absl::StrCat("confirmation.critical_fields[", i, "]"), "is empty; name a field");
  }
  if (config.approval() == config::v1::CONFIRMATION_APPROVAL_UNSPECIFIED) {
    report("confirmation.approval", "must be TOKEN or DECISION");
  }
}

absl::StatusOr<std::unique_ptr<Confirmation>> Confirmation::Create(Dependencies dependencies) {
  RETURN_IF_ERROR(FirstProblem([&](yaml::ReportProblem report) {
    yaml::CheckRanges(dependencies.config, "confirmation", report);
    CheckConfirmation(dependencies.tools, dependencies.config, report);
  }));
  std::vector<bool> required(dependencies.tools.size(), false);
  for (const std::string& id : dependencies.config.require_for_tools()) {
    const auto tool = std::find_if(dependencies.tools.begin(), dependencies.tools.end(),
                                   [&](const executors::Tool& t) { return t.definition.id == id; });
    required[tool->index] = true;
  }
  return absl::WrapUnique(new Confirmation(std::move(dependencies), std::move(required)));
}

Confirmation::Confirmation(Dependencies dependencies, std::vector<bool> required_by_policy)
    : ttl_(FromProtoDuration(dependencies.config.ttl())),
      decision_needed_(dependencies.config.approval() == config::v1::CONFIRMATION_APPROVAL_DECISION),
      max_pending_per_user_(dependencies.config.max_pending_per_user()),
      max_pending_per_workspace_(dependencies.config.max_pending_per_workspace()),
      max_question_bytes_(static_cast<size_t>(dependencies.config.max_question_bytes())),
      dependencies_(std::move(dependencies)),
      signer_(dependencies_.signing_key),
      required_by_policy_(std::move(required_by_policy)) {}

absl::StatusOr<ToolResult> Confirmation::Run(ToolCall& call, Next next) {
  ASSIGN_OR_RETURN(const bool untrusted, CheckProvenance(call));
  ASSIGN_OR_RETURN(const bool suspicious, CheckFindings(call));
  const bool demanded = untrusted || suspicious;
  if (!demanded && !MayAsk(call)) return next(call);
  if (!demanded && dependencies_.authorization.AutoApproves(call.caller, *call.tool)) {
    Tell(ConfirmationEvent::kAutoApproved);
    return next(call);
  }
  if (!call.confirmation_token.empty()) return RunWithToken(call, next);
  const absl::StatusOr<Preview> preview = PreviewOf(call, demanded);
  if (!preview.ok()) {
    RETURN_IF_ERROR(ReceiveOutsideText(call, preview.status()));
    return Failed(call, preview.status());
  }
  if (!preview->needs_confirmation) {
    if (!preview->state_digest.empty()) call.approval = Approval{.state_digest = preview->state_digest};
    return next(call);
  }
  if (call.is_step()) {
    return MakeError(
        ErrorCode::kForbidden,
        absl::StrCat(
            "this step needs a person's approval, and the automation was not approved, or the step's arguments "
            "hold what only earlier steps answer, or more than ",
            executors::PlannedStep::kMaxShownBytes, " bytes; run the tool by itself"));
  }
  return Ask(call, *preview, {.untrusted = untrusted, .suspicious = suspicious});
}

bool Confirmation::MayAskAbout(const executors::Tool& tool) const {
  return tool.definition.confirmation != ConfirmationRule::kNever || required_by_policy_[tool.index];
}

bool Confirmation::MayAsk(const ToolCall& call) const {
  return MayAskAbout(*call.tool) && !call.dry_run && !(call.is_step() && call.step_of->approved_as_a_whole);
}

absl::StatusOr<ToolResult> Confirmation::RunWithToken(ToolCall& call, Next next) const {
  ASSIGN_OR_RETURN(std::optional<ToolResult> pending, CheckToken(call));
  if (pending.has_value()) return *std::move(pending);
  absl::StatusOr<ToolResult> result = next(call);
  if (result.ok()) {
    if (!result->replayed) Tell(ConfirmationEvent::kUsed);
  } else if (WasTakenMeanwhile(result.status())) {
    Tell(ConfirmationEvent::kRejectedToken);
  }
  return result;
}

absl::Status Confirmation::ReceiveOutsideText(ToolCall& call, const absl::Status& failed) const {
  const std::optional<ToolError> error = GetToolError(failed);
  if (!error.has_value() || !executors::QuotesOutside(*error)) return absl::OkStatus();
  return dependencies_.outside_text.ReceiveError(call, error->message);
}

absl::StatusOr<bool> Confirmation::CheckProvenance(ToolCall& call) const {
  ASSIGN_OR_RETURN(const provenance::Action action, dependencies_.provenance.Decide(call));
  if (action == provenance::Action::kRefuse) {
    return MakeError(ErrorCode::kForbidden,
                     "this conversation has taken in data from outside, after which policy refuses this tool");
  }
  if (action == provenance::Action::kAllow) return false;
  if (call.dry_run && !call.tool->definition.annotations.open_world) return false;
  if (call.is_step()) {
    if (call.step_of->approved_as_a_whole) return false;
    return MakeError(ErrorCode::kForbidden,
                     "this conversation has taken in data from outside, after which this step needs a person's "
                     "approval; run the tool by itself");
  }
  return true;
}

absl::StatusOr<bool> Confirmation::CheckFindings(const ToolCall& call) {
  const bool asks = std::any_of(call.state.findings.begin(), call.state.findings.end(), [](const Finding& finding) {
    return finding.action == observability::FindingAction::kAsk;
  });
  if (!asks || call.dry_run) return false;
  if (!call.is_step()) return true;
  if (call.step_of->approved_as_a_whole) return false;
  return MakeError(ErrorCode::kForbidden,
                   "an argument reads like an attempt to instruct a model, after which this step needs a person's "
                   "approval; run the tool by itself");
}

executors::ToolContext Confirmation::ContextOf(const ToolCall& call, const fibers::Cancellation& cancellation) const {
  return {call.arguments(), call.caller, call.arrived, TimeZoneOf(call.caller), cancellation, dependencies_.ids};
}

absl::StatusOr<Preview> Confirmation::PreviewOfTool(ToolCall& call) const {
  const executors::PreviewHandler& handler = call.tool->handlers.preview;
  const auto* const effect = std::get_if<executors::EffectPreview>(&handler);
  if (effect != nullptr) return PreviewOfEffect(call, *effect);
  return PreviewInWorkspace(call, std::get<executors::WorkspacePreview>(handler));
}

absl::StatusOr<Preview> Confirmation::PreviewInWorkspace(ToolCall& call,
                                                         const executors::WorkspacePreview& handler) const {
  executors::ToolContext context = ContextOf(call, call.cancellation);
  if (storage::Transaction* const transaction = call.transaction(); transaction != nullptr) {
    absl::StatusOr<Preview> preview = handler(context, *transaction);
    if (storage::IsFault(preview.status())) call.state.store_fault = preview.status();
    return preview;
  }
  Preview preview;
  RETURN_IF_ERROR(
      dependencies_.store.Read(call.caller.workspace_id, call.patience(), [&](storage::ReadView& view) -> absl::Status {
        ASSIGN_OR_RETURN(preview, handler(context, view));
        return absl::OkStatus();
      }));
  return preview;
}

absl::StatusOr<Preview> Confirmation::PreviewOfEffect(ToolCall& call, const executors::EffectPreview& handler) const {
  if (call.transaction() != nullptr) {
    return MakeError(ErrorCode::kConflict,
                     absl::StrCat(call.tool->definition.id,
                                  " acts outside of the workspace, so it cannot be a step of an automation whose steps "
                                  "are one transaction; run it by itself"));
  }
  Preview preview;
  RETURN_IF_ERROR(
      dependencies_.previews.RunPreview(call, [&](const fibers::Cancellation& cancellation) -> absl::Status {
        executors::ToolContext context = ContextOf(call, cancellation);
        PreviewSession session(call, cancellation, dependencies_.store, dependencies_.clock, dependencies_.waits);
        ASSIGN_OR_RETURN(preview, handler(context, session));
        return absl::OkStatus();
      }));
  return preview;
}

absl::StatusOr<Preview> Confirmation::PreviewOf(ToolCall& call, bool demanded) const {
  const executors::Tool& tool = *call.tool;
  Preview preview;
  if (tool.handlers.has_preview()) {
    ASSIGN_OR_RETURN(preview, PreviewOfTool(call));
  } else {
    preview.summary = absl::StrCat("Run ", tool.definition.display_name);
    preview.undo_summary = tool.definition.annotations.reversible ? "Undo takes it back." : "It cannot be taken back.";
  }
  if (tool.definition.confirmation == ConfirmationRule::kAlways || required_by_policy_[tool.index]) {
    preview.needs_confirmation = true;
  }
  preview.needs_confirmation |= demanded;
  return preview;
}

absl::StatusOr<ToolResult> Confirmation::Ask(const ToolCall& call, const Preview& preview, Reasons reasons) {
  const absl::Time now = dependencies_.clock.Now();
  // A token counts in whole seconds.
  const absl::Time expires_at = absl::FromUnixSeconds(absl::ToUnixSeconds(now + ttl_));
  storage::Confirmation row;
  row.id = dependencies_.ids.NewId(now);
  row.user_id = call.caller.user_id;
  row.tool_id = call.tool->definition.id;
  row.digest = CallDigest(call, dependencies_.policy_version);
  ASSIGN_OR_RETURN(row.summary,
                   ComposeQuestion({*call.tool, call.arguments(), preview, reasons.untrusted, reasons.suspicious},
                                   max_question_bytes_));
  row.arguments_json = text::VisibleJson(DumpJson(call.arguments()));
  if (row.arguments_json.size() > max_question_bytes_) row.arguments_json.clear();
  row.conversation_id = dependencies_.masker.Mask(call.caller.conversation_id);
  row.created_at = now;
  row.expires_at = expires_at;
  const storage::WriteContext context{call.caller.workspace_id, call.caller.user_id, call.audit_entry_id, now,
                                      call.call_span()};
  const absl::Status stored = dependencies_.store.Commit(context, storage::CommitMode::kDurable, call.cancellation,
                                                         [&](storage::Transaction& tx) -> absl::Status {
                                                           RETURN_IF_ERROR(CheckRoomForQuestion(tx, row.user_id, now));
                                                           return tx.PutConfirmation(row);
                                                         });
  RETURN_IF_ERROR(stored);
  Tell(ConfirmationEvent::kRequested);
  const TokenClaims claims{row.id, expires_at, preview.state_digest, QuestionDigest(row.summary)};
  ToolResult result = Question(row, signer_.Sign(claims, row.digest), decision_needed_);
  Complete(call, preview, *result.confirmation);
  return result;
}

absl::Status Confirmation::CheckRoomForQuestion(storage::ReadView& view, const std::string& user_id,
                                                absl::Time now) const {
  ASSIGN_OR_RETURN(const storage::PendingConfirmations pending, view.CountPendingConfirmations(now, user_id));
  const bool users_own = pending.of_user >= max_pending_per_user_;
  if (!users_own && pending.in_workspace < max_pending_per_workspace_) return absl::OkStatus();
  ToolError error;
  error.code = ErrorCode::kQuotaExceeded;
  error.message = users_own
                      ? absl::StrCat(max_pending_per_user_,
                                     " calls of this user wait for a person already, and no more may; let them be "
                                     "decided or expire first")
                      : absl::StrCat(max_pending_per_workspace_,
                                     " calls in this workspace wait for a person already, and no more may; let them "
                                     "be decided or expire first");
  error.retryable = true;
  error.retry_after = (users_own ? pending.next_expiry_of_user : pending.next_expiry) - now;
  return ToStatus(error);
}

void Confirmation::Complete(const ToolCall& call, const Preview& preview, ConfirmationRequest& request) const {
  request.undo_summary = OneLine(preview.undo_summary);
  request.reversible = IsReversible(*call.tool, preview);
  request.affected_block_ids = preview.affected_block_ids;
}

ToolResult Confirmation::AskAgain(ToolCall& call, const storage::Confirmation& row) const {
  Tell(ConfirmationEvent::kRepeated);
  ToolResult result = Question(row, call.confirmation_token, decision_needed_);
  result.confirmation->reversible = false;
  // If the effect cannot be foreseen any more, the call will fail or be refused after the decision.
  const absl::StatusOr<Preview> preview = PreviewOf(call, /*demanded=*/false);
  if (preview.ok()) Complete(call, *preview, *result.confirmation);
  return result;
}

absl::StatusOr<std::optional<ToolResult>> Confirmation::CheckToken(ToolCall& call) const {
  const std::string digest = CallDigest(call, dependencies_.policy_version);
  const std::optional<TokenClaims> claims = signer_.Verify(call.confirmation_token, digest);
  if (!claims.has_value()) {
    Tell(ConfirmationEvent::kRejectedToken);
    return MakeError(ErrorCode::kForbidden,
                     "the confirmation token is not one for this call: it was altered, or the call's tool, arguments, "
                     "user or workspace differ from what was approved");
  }
  std::optional<storage::Confirmation> row;
  RETURN_IF_ERROR(
      dependencies_.store.Read(call.caller.workspace_id, call.patience(), [&](storage::ReadView& view) -> absl::Status {
        ASSIGN_OR_RETURN(row, view.FindConfirmation(claims->confirmation_id));
        return absl::OkStatus();
      }));
  const bool expired = dependencies_.clock.Now() >= claims->expires_at;
  absl::Status state = row.has_value() ? CheckState(row->state, expired)
                                       : SpentConfirmation("the confirmation is not known any more; ask for a new one");
  if (!state.ok()) {
    const bool was_open = !row.has_value() || row->state == State::kPending || row->state == State::kApproved;
    Tell(expired && was_open ? ConfirmationEvent::kExpired : ConfirmationEvent::kRejectedToken);
    return state;
  }
  if (QuestionDigest(row->summary) != claims->question_digest) {
    Tell(ConfirmationEvent::kRejectedToken);
    return SpentConfirmation("the stored question is not the one that this token is for; ask for a new one");
  }
  if (decision_needed_ && row->state != State::kApproved) return AskAgain(call, *row);
  call.approval = Approval{claims->confirmation_id, decision_needed_, claims->state_digest, claims->question_digest};
  return std::nullopt;
}

}  // namespace toolgate::security::confirmation
