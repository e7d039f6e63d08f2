// One tool call on its way through the layers, and its result.
#ifndef TOOLGATE_SECURITY_TOOL_CALL_H_
#define TOOLGATE_SECURITY_TOOL_CALL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/caller.h"
#include "common/fibers/cancellation.h"
#include "common/json.h"
#include "common/tool_error.h"
#include "executors/internal_tool.h"
#include "executors/tool.h"
#include "observability/trace_context.h"
#include "observability/tracing/call_span.h"
#include "security/event_sink.h"
#include "security/finding.h"
#include "security/running_place.h"
#include "security/step_ledger.h"
#include "storage/read_patience.h"
#include "storage/records.h"
#include "storage/store.h"

namespace toolgate::security::identity {
struct KnownService;
}

namespace toolgate::security {

// The limits that a request states for itself; zero means none.
struct Budget {
  int max_calls = 0;
  absl::Duration max_execution_time = absl::ZeroDuration();
  int64_t max_tokens = 0;
};

// The names in a client certificate that the transport has verified.
struct PeerCertificate {
  std::vector<std::string> uris = {};
  std::vector<std::string> dns_names = {};
  std::string common_name = {};
};

// Facts about a call's connection from the transport.
struct Connection {
  std::string peer;          // gRPC's name for it, for the operator's log only.
  std::string bearer_token;  // From the authorization metadata, or empty.
  // The authorization metadata is not one bearer token.
  bool unreadable_authorization = false;
  std::optional<PeerCertificate> certificate;
};

// The party behind a call, as far as its credentials prove it. Both null if the listener takes no credentials.
struct Principal {
  std::shared_ptr<const Caller> user;               // Identified by the bearer token; null without one.
  const identity::KnownService* service = nullptr;  // Named by the client certificate; null without one. Borrowed from
                                                    // the identity that verified it.
};

// A request for a call, as any transport hands it over. Nothing of it is believed before the authenticate step.
struct Inbound {
  std::string tool_id;
  std::string arguments_text;  // Not yet parsed; empty when ToolCall::SetArguments is used instead.
  absl::Status malformed;      // Defect of the request itself. The resolve step refuses it, so that it is audited.
  Caller claimed;              // The caller's statements about itself.
  // The verified credentials, or the reason for their refusal. A call whose credentials were not verified is refused as
  // well.
  absl::StatusOr<Principal> principal;
  // Set for calls by RPCs other than Execute. Only they can reach the catalogue's internal tools.
  std::optional<executors::InternalTool> internal;
  std::string request_id;
  std::string idempotency_key;
  std::string confirmation_token;
  bool dry_run = false;
  Budget budget;
  EventSink* events = nullptr;        // Receives what the call sends while it runs; null: nobody does.
  std::function<void()> on_started;   // Called by the execute step, once, right before the tool runs; may be null.
  observability::TraceContext trace;  // The call's own place: its span is the call's, not the client's.
  uint64_t parent_span_id = 0;        // The span of the RPC, or of the automation of which this is a step; or 0.
  // Takes the call's spans; null unless its trace is sampled. Borrowed from the RPC.
  observability::tracing::TraceRecording* recording = nullptr;
  std::string tool_call_id;  // The model's id for the call, if its form is an ordinary one; set for sampled calls only.

  // Given on arrival.
  std::string id;              // In logs, traces and audit.
  std::string audit_entry_id;  // Also the change id of what the call writes.
  absl::Time arrived;
  absl::Duration arrived_monotonic;
};

// Position of a step in its automation. All borrowed.
struct StepOf {
  std::string call_id;  // Of the automation's own call.
  // In which the whole automation runs; null when each step settles by itself.
  storage::Transaction* transaction = nullptr;
  // Shared by all steps of the automation; null when each step settles by itself, and is charged and audited so.
  StepLedger* ledger = nullptr;
  // A person approved the automation and was shown all of this step.
  bool approved_as_a_whole = false;
  // The store reruns the transaction, and this step was charged to its limits and budgets the first time.
  bool charged_before = false;
  // Of a step that settles by itself: the claim of the automation's call, and the step's place in it.
  std::string claim_id = {};
  int64_t claim_attempt = 0;  // At that claim.
  int64_t number = 0;
};

// Conditions under which the confirmation step let a call pass. The execute step checks them in the transaction that
// runs the tool, or claims the effect; the state of an effect its handler compares (EffectSession::CheckState).
struct Approval {
  // The confirmation whose token was accepted, which the execute step uses up; empty when no one had to be asked.
  std::string confirmation_id = {};
  // Only a confirmation that was approved may be used up, not one that is still pending.
  bool decision_needed = false;
  // The state (executors::Preview::state_digest) in which nobody had to be asked, or which the token is for. The
  // execute step refuses to run the tool in any other. Empty: any state will do.
  std::string state_digest = {};
  // The question that was approved (confirmation::QuestionDigest); empty when no one had to be asked.
  std::string question_digest = {};
};

// Facts about a call that layers and steps leave for those after them, further in or on the way out.
struct CallState {
  // Layer 1's findings in the arguments, added by layer 1, and in text from outside, added by the confirmation step (of
  // a preview's error) and by the execute step (of results and output). Masked by safe_errors; read by audit, observers
  // and response.
  std::vector<Finding> findings = {};
  // Whether the conversation is known to have taken in data from outside the workspace. Set by Provenance, for the
  // confirmation step and when the execute step receives such data; read by Provenance, audit and response.
  bool conversation_untrusted = false;
  // Failure of the store under the tool, under its preview, or under the switch that decides whether it is available:
  // the tool is not to blame. Set by the resolve, confirmation and execute steps; read by the execute step, which then
  // refuses, also for the automation of which the call is a step.
  absl::Status store_fault = {};
  // Whether the call's audit entry is written, so that no second one is. Set by the execute step when it commits the
  // entry, and by the pipeline when it queues it; read by the pipeline and the idempotency step.
  bool audited = false;
  // The layer or step that refused the call. Set by the pipeline at the end; read by audit, observers and response.
  std::string_view refused_by = {};
  // The place to leave while the call waits. Set by the execution tracking step for as long as the call runs; steps of
  // an automation are given the automation's. Read by the execute step.
  RunningPlace* place = nullptr;
};

// A call on its way through the layers: the request, and what each layer found out in turn. Not thread-safe, except for
// `cancellation`.
class ToolCall : public Inbound {
 public:
  ToolCall() : cancellation(own_cancellation_) {}
  // Borrows `shared`, which the RPC cancels when its client leaves.
  explicit ToolCall(fibers::Cancellation& shared) : cancellation(shared) {}
  ToolCall(const ToolCall&) = delete;
  ToolCall& operator=(const ToolCall&) = delete;

  fibers::Cancellation& cancellation;
  bool may_wait = true;  // False on a thread of gRPC's, where reads must not wait for their turn.
  storage::ReadPatience patience() const {
    return {&cancellation, may_wait, call_span(), {caller.workspace_id, caller.user_id}};
  }
  // For spans of work on behalf of the call.
  observability::tracing::CallSpan call_span() const { return {&trace, recording}; }

  int64_t claim_attempt = 0;  // At the effect of the call, by recovery; 0: its own.
  // Set for a step of an automation.
  std::optional<StepOf> step_of;
  bool is_step() const { return step_of.has_value(); }
  std::string_view parent_call_id() const { return is_step() ? std::string_view(step_of->call_id) : ""; }
  // Whether the call is a step whose changes the undo entry of its automation will hold.
  bool settles_as_step() const { return is_step() && step_of->transaction == nullptr; }
  // The transaction to run in; null for a call that makes its own.
  storage::Transaction* transaction() const { return is_step() ? step_of->transaction : nullptr; }
  bool charged_before() const { return is_step() && step_of->charged_before; }

  // The caller; set by the authenticate step, empty before.
  Caller caller;

  // Set by the resolve step; never null further in.
  const executors::Tool* tool = nullptr;

  // Until layer 2 has frozen them, layers may change the arguments; afterwards mutable_arguments is a programming
  // error.
  const Json& arguments() const { return arguments_; }
  Json& mutable_arguments();
  void SetArguments(Json arguments) { arguments_ = std::move(arguments); }
  void FreezeArguments();
  bool frozen() const { return frozen_; }
  // SHA-256 over tool id and canonical arguments; computed on first use after the freeze.
  const std::string& arguments_digest() const;

  CallState state;
  // Set by the confirmation step if it let the call pass on conditions.
  std::optional<Approval> approval;
  // Whether a person approved the call itself, or the automation of which it is a step.
  bool approved() const {
    return (approval.has_value() && !approval->confirmation_id.empty()) || (is_step() && step_of->approved_as_a_whole);
  }

 private:
  fibers::Cancellation own_cancellation_;
  Json arguments_ = Json::object();
  bool frozen_ = false;
  mutable std::string arguments_digest_;
};

// A person must approve first.
struct ConfirmationRequest {
  std::string token;
  std::string confirmation_id;
  std::string summary;
  std::string question_digest;
  std::string undo_summary;
  bool reversible = true;
  absl::Time expires_at;
  std::vector<std::string> affected_block_ids;
  bool needs_decision = false;  // The token works only after a caller with the permission to decide approved.
};

// Reason for which a tool failed, if its error code does not tell.
enum class FailureCause {
  kTool,         // The tool's own error, of any kind.
  kInterrupted,  // Stopped because of the call's deadline or its client, perhaps with another code.
  kStep,         // A step of an automation failed; that step's own tool is responsible.
};

// Outcome of a call that no layer refused (a refusal is an error status).
struct ToolResult {  // NOLINT(clang-analyzer-optin.performance.Padding): members that belong together stand together.
  // If set, the tool did not run, and nothing else here counts.
  std::optional<ConfirmationRequest> confirmation;

  bool success = false;
  std::string data_json;                             // If successful.
  std::optional<ToolError> error;                    // Otherwise; safe to show after layer 5.
  FailureCause failure_cause = FailureCause::kTool;  // Of `error`.
  std::string undo_entry_id;
  bool can_undo = false;
  bool redone = false;     // Of the tool "undo": it took back an undo. Not stored, hence false for a replay.
  bool reversible = true;  // False if something happened that undo cannot reverse.
  std::vector<std::string> affected_block_ids;
  // Number of further ones: of a replay, that were not stored; of a dry run, that were not looked at.
  size_t affected_blocks_omitted = 0;
  storage::Changes changes;
  size_t changes_omitted = 0;  // Of a dry run: number of further ones that were not looked at.
  int64_t tokens_used = 0;
  int retry_count = 0;
  absl::Time started_at;
  absl::Time ended_at;
  bool replayed = false;
  bool replay_of_another_request = false;  // The first call had another request or conversation.
  bool dry_run = false;
  bool untrusted = false;
  std::string boundary;      // If untrusted: random, for the marks around the data.
  bool truncated = false;    // The data is only the beginning.
  std::string continuation;  // Argument of ReadResult for the rest; empty if there is none or it is not available.
  std::string audit_entry_id;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_TOOL_CALL_H_
