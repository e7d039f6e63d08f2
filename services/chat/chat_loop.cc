#include "services/chat/chat_loop.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/audit/audit_entry.h"
#include "services/chat/history.h"
#include "services/chat/reasoning_steps.h"
#include "services/chat/stream_sink.h"

namespace toolgate::services::chat {
namespace {

using executors::models::ModelAnswer;
using executors::models::ModelRequest;
using executors::models::StopReason;
using internal::v1::ChatModelRecord;
using internal::v1::ChatPause;
using internal::v1::ChatToolRecord;
using internal::v1::ChatToolUse;

// A call is asked about once as a rule. It is asked about again when the question no longer fits.
constexpr int kMaxQuestions = 3;

std::string_view NameOf(StopReason reason) {
  switch (reason) {
    case StopReason::kEnd:
      return "end";
    case StopReason::kToolUse:
      return "tool_use";
    case StopReason::kLength:
      return kStopLength;
    case StopReason::kRefusal:
      return kStopRefusal;
  }
  return "end";
}

ChatModelRecord RecordOf(ModelAnswer answer, const std::string& model) {
  ChatModelRecord record;
  record.set_text(std::move(answer.message.text));
  record.set_reasoning(std::move(answer.message.reasoning));
  for (auto& use : answer.message.tool_uses) {
    ChatToolUse& row = *record.add_tool_uses();
    row.set_id(std::move(use.id));
    row.set_name(std::move(use.name));
    row.set_arguments_json(std::move(use.arguments_json));
  }
  record.set_provider_state(std::move(answer.message.provider_state));
  record.set_model(model);
  record.set_stop_reason(std::string(NameOf(answer.stop)));
  record.set_input_tokens(answer.input_tokens);
  record.set_output_tokens(answer.output_tokens);
  record.set_thoughts_split(true);
  return record;
}

v1::ChatResponse ResultEventOf(const ChatToolRecord& record) {
  v1::ChatResponse event;
  v1::ToolCallResult& result = *event.mutable_tool_result();
  result.set_tool_name(record.tool_id());
  result.set_success(!record.has_error());
  result.set_latency_ms(record.latency_ms());
  result.set_tool_call_id(record.tool_use_id());
  if (record.has_error()) audit::SetToolError(FromPayload(record.error()), *result.mutable_error());
  return event;
}

ToolError TooManyCalls(int limit) {
  ToolError error;
  error.code = ErrorCode::kQuotaExceeded;
  error.message = absl::StrCat("this turn has had the ", limit,
                               " tool calls that it may have; answer with what you know, and say what is missing");
  return error;
}

ToolError TooMuchReadOn(int limit) {
  ToolError error;
  error.code = ErrorCode::kQuotaExceeded;
  error.message = absl::StrCat("this turn has read on the ", limit,
                               " times that it may; answer with what you know, or narrow the request");
  return error;
}

ToolError CutOffAtLimit() {
  ToolError error;
  error.code = ErrorCode::kQuotaExceeded;
  error.message =
      "the answer reached its limit of output tokens in the middle of this call, before its arguments were complete, "
      "so the tool was not run; call it again with shorter arguments, or in several smaller calls";
  return error;
}

ToolError CutOffByService() {
  ToolError error;
  error.code = ErrorCode::kExecutionError;
  error.message =
      "the model's service stopped the answer in the middle of this call, before its arguments were complete, so the "
      "tool was not run; call it again with all of its arguments, {} if it needs none, or answer without it";
  return error;
}

// Why a call is not to be run; nothing if it is.
std::optional<ToolError> RefusalOf(const PendingCall& call, const ChatLimits& limits) {
  if (call.cut_off) return call.at_limit ? CutOffAtLimit() : CutOffByService();
  if (call.reads_on) {
    return call.earlier_calls < limits.max_turns ? std::nullopt : std::optional(TooMuchReadOn(limits.max_turns));
  }
  return call.earlier_calls < limits.max_tool_calls ? std::nullopt : std::optional(TooManyCalls(limits.max_tool_calls));
}

ToolError Ended(std::string_view message) {
  ToolError error;
  error.code = ErrorCode::kCancelled;
  error.message = message;
  return error;
}

void AppendParagraph(std::string_view text, std::string& out) {
  if (!out.empty() && !text.empty()) out.append("\n\n");
  out.append(text);
}

}  // namespace

ChatToolRecord NotRun(const ChatToolUse& use, std::string tool_id, const ToolError& error) {
  ChatToolRecord record;
  record.set_tool_use_id(use.id());
  record.set_tool_id(std::move(tool_id));
  record.set_refused(true);
  *record.mutable_error() = ToPayload(error);
  return record;
}

// Calls run in order: those behind the first one have not begun.
std::vector<ChatToolRecord> EndedCalls(const ConversationLog& log, ToolCaller& tools) {
  std::vector<ChatToolRecord> records;
  for (const PendingCall& call : PendingCalls(log.messages())) {
    const bool paused = log.pause().has_value() && log.pause()->tool_use_id() == call.use.id();
    const ToolError error = records.empty() && !paused
                                ? Ended("the call was interrupted; it may have taken effect, so check before a repeat")
                                : Ended("the call was not run: the user wrote on before it was approved");
    records.push_back(NotRun(call.use, tools.Describe(call.use).tool_name(), error));
  }
  return records;
}

absl::Status ChatLoop::Run() {
  while (true) {
    ASSIGN_OR_RETURN(const Progress progress, FinishCalls());
    if (progress == Progress::kPaused) return WriteDone("confirmation");
    if (HasAnswer(messages())) break;
    if (UsageOf(messages()).model_calls() >= limits_.max_turns) {
      return MakeError(ErrorCode::kQuotaExceeded,
                       absl::StrCat("the model was asked ", limits_.max_turns, " times and did not come to an answer"));
    }
    RETURN_IF_ERROR(AskModel());
  }
  RETURN_IF_ERROR(WriteReasoning());
  return WriteDone(messages().back().record.model().stop_reason());
}

absl::StatusOr<ChatLoop::Progress> ChatLoop::FinishCalls() {
  while (const std::optional<PendingCall> call = FirstPendingCall(messages())) {
    ASSIGN_OR_RETURN(const Progress progress, RunCall(*call));
    if (progress == Progress::kPaused) return progress;
  }
  return Progress::kOn;
}

absl::StatusOr<ChatLoop::Progress> ChatLoop::RunCall(const PendingCall& call) {
  v1::ChatResponse start;
  *start.mutable_tool_call_start() = dependencies_.tools.Describe(call.use);
  RETURN_IF_ERROR(Write(start));
  if (const std::optional<ToolError> refusal = RefusalOf(call, limits_); refusal.has_value()) {
    ToolOutcome refused;
    refused.record = NotRun(call.use, start.tool_call_start().tool_name(), *refusal);
    RETURN_IF_ERROR(Settle(refused));
    return Progress::kOn;
  }
  ASSIGN_OR_RETURN(std::optional<std::string> token, TokenOfPause(call));
  for (int i = 0; i < kMaxQuestions && token.has_value(); ++i) {
    ASSIGN_OR_RETURN(const ToolOutcome outcome, dependencies_.tools.Call(call.use, call.idempotency_key, *token));
    if (!outcome.question.has_value()) {
      RETURN_IF_ERROR(Settle(outcome));
      return Progress::kOn;
    }
    ASSIGN_OR_RETURN(const bool decided, AskPerson(call, *outcome.question));
    token = decided ? std::optional<std::string>(outcome.question->token()) : std::nullopt;
  }
  return Progress::kPaused;
}

absl::StatusOr<std::optional<std::string>> ChatLoop::TokenOfPause(const PendingCall& call) {
  const std::optional<ChatPause>& pause = dependencies_.log.pause();
  if (!pause.has_value() || pause->tool_use_id() != call.use.id()) return std::string();
  const v1::ConfirmationRequest question = pause->question();
  if (!token_.empty()) return std::exchange(token_, "");
  ASSIGN_OR_RETURN(bool decided, dependencies_.tools.AwaitDecision(question.confirmation_id(), absl::ZeroDuration()));
  if (!decided) {
    v1::ChatResponse event;
    *event.mutable_confirmation_request() = question;
    RETURN_IF_ERROR(Write(event));
    ASSIGN_OR_RETURN(decided, AwaitDecision(question));
  }
  if (!decided) return std::nullopt;
  return question.token();
}

absl::StatusOr<bool> ChatLoop::AskPerson(const PendingCall& call, const v1::ConfirmationRequest& question) {
  ChatPause pause;
  pause.set_tool_use_id(call.use.id());
  *pause.mutable_question() = question;
  RETURN_IF_ERROR(dependencies_.log.SetPause(std::move(pause)));
  v1::ChatResponse event;
  *event.mutable_confirmation_request() = question;
  RETURN_IF_ERROR(Write(event));
  return AwaitDecision(question);
}

// False without waiting if the token alone is the approval: the client must come back with it, because nobody else can
// tell that a person agreed.
absl::StatusOr<bool> ChatLoop::AwaitDecision(const v1::ConfirmationRequest& question) {
  if (!question.needs_decision()) return false;
  return dependencies_.tools.AwaitDecision(question.confirmation_id(), limits_.confirmation_wait);
}

absl::Status ChatLoop::Settle(const ToolOutcome& outcome) {
  RETURN_IF_ERROR(dependencies_.log.AppendTool(outcome.record, outcome.shown));
  RETURN_IF_ERROR(Write(ResultEventOf(outcome.record)));
  for (const v1::ChatResponse& event : outcome.shown) RETURN_IF_ERROR(Write(event));
  return absl::OkStatus();
}

absl::Status ChatLoop::AskModel() {
  v1::ChatResponse status;
  status.mutable_reasoning_status()->set_content(HasToolResult(messages()) ? "Reading the results" : "Thinking");
  status.mutable_reasoning_status()->set_source("toolgate");
  RETURN_IF_ERROR(Write(status));
  ModelRequest request;
  request.system = brief_.system;
  request.messages = ToModelMessages(messages(), dependencies_.model.result_format(), brief_.name);
  request.tools_json = brief_.tools_json;
  if (limits_.max_output_tokens > 0) request.max_output_tokens = limits_.max_output_tokens;
  request.reasoning = brief_.reasoning;
  request.extra = brief_.extra;
  StreamSink sink(dependencies_.writer, dependencies_.cancellation, std::string(Phase()));
  ASSIGN_OR_RETURN(ModelAnswer answer, dependencies_.model.Complete(request, &sink, dependencies_.scope));
  RETURN_IF_ERROR(sink.Finish());
  return dependencies_.log.AppendModel(RecordOf(std::move(answer), brief_.name));
}

absl::Status ChatLoop::WriteReasoning() {
  v1::ChatResponse event;
  v1::ReasoningComplete& complete = *event.mutable_reasoning_complete();
  std::string phase = "analysis";
  for (size_t i = TurnBegin(messages()); i < messages().size(); ++i) {
    if (messages()[i].record.has_tool()) phase = "solution";
    const std::string& reasoning = messages()[i].record.model().reasoning();
    if (reasoning.empty()) continue;
    AppendParagraph(reasoning, *complete.mutable_reasoning());
    ReasoningSteps steps(phase);
    for (v1::ReasoningStep& step : steps.Feed(reasoning)) *complete.add_steps() = std::move(step);
    for (v1::ReasoningStep& step : steps.Finish()) *complete.add_steps() = std::move(step);
  }
  return complete.reasoning().empty() ? absl::OkStatus() : Write(event);
}

absl::Status ChatLoop::WriteDone(std::string_view stop_reason) {
  v1::ChatResponse event;
  v1::Done& done = *event.mutable_done();
  done.set_conversation_id(dependencies_.log.id());
  for (const LoggedMessage& message : messages()) {
    if (message.record.has_model()) done.set_message_id(message.id);
  }
  *done.mutable_usage() = UsageOf(messages());
  done.set_stop_reason(std::string(stop_reason));
  done.set_title(dependencies_.log.title());
  done.set_model(brief_.name);
  return Write(event);
}

absl::Status ChatLoop::Replay() {
  ASSIGN_OR_RETURN(const auto artifacts, dependencies_.log.ReadArtifacts(dependencies_.cancellation));
  const ChatModelRecord* asked = &ChatModelRecord::default_instance();
  int answered = 0;
  for (size_t i = TurnBegin(messages()); i < messages().size(); ++i) {
    const LoggedMessage& message = messages()[i];
    if (message.record.has_model()) {
      asked = &message.record.model();
      answered = 0;
      StreamSink sink(dependencies_.writer, dependencies_.cancellation, "");
      RETURN_IF_ERROR(sink.Text(asked->text()));
    } else if (message.record.has_tool() && answered < asked->tool_uses_size()) {
      v1::ChatResponse start;
      *start.mutable_tool_call_start() = dependencies_.tools.Describe(asked->tool_uses(answered++));
      RETURN_IF_ERROR(Write(start));
      RETURN_IF_ERROR(Write(ResultEventOf(message.record.tool())));
      for (const auto& [number, artifact] : artifacts) {
        if (number == message.number) RETURN_IF_ERROR(Write(artifact));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace toolgate::services::chat
