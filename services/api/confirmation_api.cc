#include "services/api/confirmation_api.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "observability/metrics.h"
#include "security/confirmation/question.h"
#include "services/api/convert.h"
#include "services/api/page.h"
#include "services/api/page_token.h"
#include "storage/records.h"
#include "storage/store.h"

namespace toolgate::services::api {
namespace {

using State = storage::Confirmation::State;

constexpr char kDecideAction[] = "confirmation.decide";
constexpr char kDecidePermission[] = "confirmation:decide";
constexpr absl::Duration kDefaultWait = absl::Seconds(30);
constexpr absl::Duration kLongestWait = absl::Seconds(60);

struct Decision {
  bool made = false;  // False: it stood already.
  bool too_late = false;
  std::string question_digest = {};
};

absl::Status NoSuchConfirmation() {
  return MakeError(ErrorCode::kNotFound, "there is no such confirmation in this workspace");
}

absl::Status Decide(storage::Transaction& tx, const Caller& caller, const v1::DecideConfirmationRequest& request,
                    Decision& decision) {
  decision = Decision();  // The store may run this more than once.
  ASSIGN_OR_RETURN(const auto row, tx.FindConfirmation(request.confirmation_id()));
  if (!row.has_value()) return NoSuchConfirmation();
  const State to = request.approve() ? State::kApproved : State::kDenied;
  decision.question_digest = security::confirmation::QuestionDigest(row->summary);
  if (!request.question_digest().empty() && request.question_digest() != decision.question_digest) {
    return MakeError(ErrorCode::kConflict,
                     "the confirmation asks another question than the one with this question_digest; read it again");
  }
  if (row->state == to) return absl::OkStatus();
  if (row->state != State::kPending) {
    return MakeError(ErrorCode::kConflict, "the confirmation was decided or used already");
  }
  decision.too_late = row->expires_at <= tx.context().now;
  if (decision.too_late) return MakeError(ErrorCode::kConflict, "the confirmation has expired");
  ASSIGN_OR_RETURN(const bool moved, tx.TransitionConfirmation(row->id, State::kPending, to, caller.user_id));
  if (!moved) return MakeError(ErrorCode::kConflict, "the confirmation was decided meanwhile");
  decision.made = true;
  return absl::OkStatus();
}

absl::Status ListPending(storage::ReadView& view, absl::Time now, const v1::ListConfirmationsRequest& request,
                         v1::ListConfirmationsResponse& response) {
  ASSIGN_OR_RETURN(const std::string after, ReadPageToken(request.page_token(), "confirmations"));
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 50, 200));
  ASSIGN_OR_RETURN(const auto rows, view.ListPendingConfirmations(now, size + 1, after));
  Page page(size);
  for (const storage::Confirmation& confirmation : rows) {
    v1::PendingConfirmation row;
    FillConfirmation(confirmation, row);
    if (!page.Take(row)) {
      const std::string& last = response.confirmations().rbegin()->confirmation_id();
      response.set_next_page_token(MakePageToken(last, "confirmations"));
      break;
    }
    *response.add_confirmations() = std::move(row);
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Duration> TimeoutOf(const v1::WaitConfirmationRequest& request) {
  if (!request.has_timeout()) return kDefaultWait;
  const absl::Duration timeout = FromProtoDuration(request.timeout());
  if (timeout >= absl::ZeroDuration()) return std::min(timeout, kLongestWait);
  return executors::InvalidArgument("timeout", "minimum", "timeout is negative", "a duration of 0 to 60 s");
}

std::string_view StateOf(const storage::Confirmation& row, absl::Time now) {
  if (row.state == State::kDenied) return "denied";
  if (row.state == State::kUsed) return "used";
  if (row.expires_at <= now) return "expired";
  return row.state == State::kApproved ? "approved" : "pending";
}

// The confirmation after the wait. Before it begins, a caller whom the question does not concern is turned away.
absl::StatusOr<storage::Confirmation> AwaitDecision(const KnownCall& call, const Caller& caller,
                                                    const v1::WaitConfirmationRequest& request,
                                                    const fibers::Cancellation& cancellation) {
  security::confirmation::DecisionWatch& decisions = call.runtime().decisions;
  const std::string& id = request.confirmation_id();
  ASSIGN_OR_RETURN(const absl::Duration timeout, TimeoutOf(request));
  ASSIGN_OR_RETURN(std::optional<storage::Confirmation> row,
                   decisions.Wait(caller, id, absl::ZeroDuration(), cancellation));
  if (!row.has_value()) return NoSuchConfirmation();
  if (row->user_id != caller.user_id && !call.core().May(caller, kDecidePermission)) return NoSuchConfirmation();
  if (timeout == absl::ZeroDuration()) return *std::move(row);
  ASSIGN_OR_RETURN(row, decisions.Wait(caller, id, timeout, cancellation));
  if (!row.has_value()) return NoSuchConfirmation();
  return *std::move(row);
}

}  // namespace

absl::Status ListConfirmations(const KnownCall& call, const v1::ListConfirmationsRequest& request,
                               v1::ListConfirmationsResponse& response, fibers::Cancellation& cancellation) {
  const ApiRuntime& runtime = call.runtime();
  ASSIGN_OR_RETURN(const Caller caller, call.Admit(request.caller()));
  return call.core().Safe(runtime.store.Read(
      caller.workspace_id, call.PatienceOf(caller, cancellation),
      [&](storage::ReadView& view) { return ListPending(view, runtime.clock.Now(), request, response); }));
}

absl::Status DecideConfirmation(const KnownCall& call, const v1::DecideConfirmationRequest& request,
                                v1::DecideConfirmationResponse& response, fibers::Cancellation& cancellation) {
  using observability::ConfirmationEvent;
  const ApiRuntime& runtime = call.runtime();
  const Core& core = call.core();
  const Json params{{"confirmationId", request.confirmation_id()}, {"approve", request.approve()}};
  ASSIGN_OR_RETURN(const Caller caller, call.AdmitTo(kDecideAction, params, request.caller()));
  const absl::Time now = runtime.clock.Now();
  const std::string entry_id = runtime.ids.NewId(now);
  const storage::WriteContext write{caller.workspace_id, caller.user_id, entry_id, now, call.call_span()};
  Decision decision;
  const auto status = runtime.store.Commit(
      write, storage::CommitMode::kDurable, cancellation, [&](storage::Transaction& tx) -> absl::Status {
        RETURN_IF_ERROR(Decide(tx, caller, request, decision));
        v1::AuditEntry entry = core.OperatorEntry({entry_id, kDecideAction, params}, caller, now);
        entry.set_confirmation_id(request.confirmation_id());
        entry.set_question_digest(decision.question_digest);
        return tx.AppendAudit(entry);
      });
  if (decision.too_late) runtime.metrics.CountConfirmation(ConfirmationEvent::kExpired);
  if (!status.ok()) return core.Record(caller, kDecideAction, params, status);
  if (decision.made) {
    runtime.metrics.CountConfirmation(request.approve() ? ConfirmationEvent::kApproved : ConfirmationEvent::kDenied);
  }
  response.set_state(request.approve() ? "approved" : "denied");
  return absl::OkStatus();
}

absl::Status WaitConfirmation(const KnownCall& call, const v1::WaitConfirmationRequest& request,
                              v1::WaitConfirmationResponse& response, fibers::Cancellation& cancellation) {
  const Clock& clock = call.runtime().clock;
  ASSIGN_OR_RETURN(const Caller caller, call.Admit(request.caller()));
  // Infinite when the client set no deadline.
  cancellation.Reset(clock, clock.Monotonic() + (call.inbound().deadline - clock.Now()));
  const absl::StatusOr<storage::Confirmation> row = AwaitDecision(call, caller, request, cancellation);
  if (!row.ok()) return call.core().Safe(row.status());
  response.set_state(std::string(StateOf(*row, clock.Now())));
  SetProtoTime(row->expires_at, *response.mutable_expires_at());
  return absl::OkStatus();
}

}  // namespace toolgate::services::api
