#include "services/rpc/execute_call.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/json.h"
#include "common/message_bounds.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "services/rendering/result_renderer.h"
#include "services/rpc/convert.h"
#include "services/rpc/message_bytes.h"
#include "services/rpc/rpc_status.h"
#include "services/rpc/worker_call.h"

namespace toolgate::services::rpc {
namespace {

using executors::InternalTool;

// An Execute call's events. Writes go out one at a time, as gRPC demands; further events wait in a queue.
class StreamCall final : public grpc::ServerWriteReactor<grpc::ByteBuffer>, public TrackedCall {
 public:
  StreamCall(RpcRuntime& runtime, grpc::CallbackServerContext& context, const grpc::ByteBuffer& request)
      : runtime_(runtime), context_(context), request_(request), timer_(runtime, Rpc::kExecuteStream) {}

  void Start() {
    runtime_.calls.Add(*this);
    if (!runtime_.workers.Submit([this] { Run(); })) End(NoWorker(runtime_));
  }

  void OnWriteDone(bool ok) override {
    std::optional<grpc::Status> end;
    {
      absl::MutexLock lock(&mutex_);
      events_.pop_front();
      if (!ok) cancellation_.Cancel();
      end = Continue();
    }
    if (end.has_value()) FinishCall(*end);
  }
  void OnCancel() override { cancellation_.Cancel(); }
  void Cancel() override { cancellation_.Cancel(); }
  void OnDone() override {
    runtime_.calls.Remove(*this);
    delete this;
  }

 private:
  void Run() { End(Execute()); }

  absl::Status Execute() {
    RETURN_IF_ERROR(TakeUp(runtime_, context_, cancellation_, timer_.started()));
    ASSIGN_OR_RETURN(const KnownCall known, KnownCall::Authenticate(runtime_, Rpc::kExecuteStream, context_));
    v1::ExecuteStreamRequest request;
    RETURN_IF_ERROR(ReadMessage(request_, request));
    RETURN_IF_ERROR(CheckResultFormat(request.request()));
    security::ToolCall call(cancellation_);
    call.on_started = [&] { SendStarted(call); };
    v1::ExecuteStreamResponse last;
    RETURN_IF_ERROR(ExecuteTool(known, request.request(), call, *last.mutable_response()));
    return Send(last);
  }

  void SendStarted(const security::ToolCall& call) {
    v1::ExecuteStreamResponse event;
    event.mutable_started()->set_tool_id(call.tool->definition.id);
    event.mutable_started()->set_call_id(call.id);
    *event.mutable_started()->mutable_started_at() = ToProtoTime(runtime_.clock.Now());
    // Far too short to fail.
    Send(event).IgnoreError();
  }

  absl::Status Send(const v1::ExecuteStreamResponse& event) {
    grpc::ByteBuffer bytes;
    RETURN_IF_ERROR(WriteMessage(event, bytes));
    absl::MutexLock lock(&mutex_);
    events_.push_back(std::move(bytes));
    if (events_.size() == 1) StartWrite(&events_.front());
    return absl::OkStatus();
  }

  void End(const absl::Status& status) {
    std::optional<grpc::Status> end;
    {
      absl::MutexLock lock(&mutex_);
      end_ = ToGrpcStatus(status);
      if (events_.empty()) end = Continue();
    }
    if (end.has_value()) FinishCall(*end);
  }

  // Writes the next event. When there is none and none will come, answers how the call ends: whoever called this then
  // calls FinishCall, without the lock, since this object is gone as soon as gRPC has heard of the end.
  std::optional<grpc::Status> Continue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (events_.empty()) return end_;
    StartWrite(&events_.front());
    return std::nullopt;
  }

  void FinishCall(const grpc::Status& end) ABSL_LOCKS_EXCLUDED(mutex_) {
    timer_.Finished(end.error_code());
    Finish(end);
  }

  RpcRuntime& runtime_;
  grpc::CallbackServerContext& context_;
  const grpc::ByteBuffer& request_;
  const RpcTimer timer_;
  Cancellation cancellation_;
  absl::Mutex mutex_;
  std::deque<grpc::ByteBuffer> events_ ABSL_GUARDED_BY(mutex_);
  std::optional<grpc::Status> end_ ABSL_GUARDED_BY(mutex_);
};

void Arrive(const KnownCall& known, security::ToolCall& call) {
  Arrive(known.runtime(), known.context(), call);
  call.principal = known.principal();
}

// The undo of an undo: what was taken back is itself an undo's change.
bool IsRedo(const security::ToolResult& result) {
  const absl::StatusOr<Json> data = ParseJson(result.data_json);
  return data.ok() && executors::StringArgument(*data, "toolId") == IdOf(InternalTool::kUndo);
}

void CountUndo(observability::Metrics& metrics, const security::ToolResult& result) {
  if (result.dry_run || result.replayed) return;
  using observability::UndoOutcome;
  UndoOutcome outcome = IsRedo(result) ? UndoOutcome::kRedone : UndoOutcome::kUndone;
  if (!result.success) {
    const ErrorCode code = result.error.has_value() ? result.error->code : ErrorCode::kExecutionError;
    outcome = code == ErrorCode::kConflict        ? UndoOutcome::kConflict
              : code == ErrorCode::kNothingToUndo ? UndoOutcome::kNothingToUndo
              : code == ErrorCode::kCannotUndo    ? UndoOutcome::kCannotUndo
                                                  : UndoOutcome::kFailed;
  }
  metrics.CountUndo(outcome);
}

// Renders `result` as the request asks for. Where that comes out too long, since a rendering escapes what it holds, the
// result is cut until it does not: then its data and its rendering say alike where the rest is.
std::string Render(const Core& core, const security::ToolCall& call, const v1::ExecuteRequest& request,
                   security::ToolResult& result) {
  const size_t bound = core.max_result_bytes() + kRenderingBytes;
  const auto render = [&] {
    return rendering::RenderResult(result, call.tool->definition.id, request.tool_call_id(), request.result_format());
  };
  std::string rendered = render();
  while (result.success && rendered.size() > bound) {
    // The next one is about as much shorter as its data is, and somewhat more so that one turn mostly does.
    const double share = 0.95 * static_cast<double>(bound) / static_cast<double>(rendered.size());
    core.Shorten(call, static_cast<size_t>(share * static_cast<double>(result.data_json.size())), result);
    rendered = render();
  }
  return rendered;
}

}  // namespace

absl::Status CheckResultFormat(const v1::ExecuteRequest& request) {
  if (v1::ResultFormat_IsValid(request.result_format())) return absl::OkStatus();
  return executors::InvalidArgument("result_format", "enum", "result_format names no form that results can be given in",
                                    "a value of ResultFormat");
}

absl::Status ExecuteTool(const KnownCall& known, const v1::ExecuteRequest& request, security::ToolCall& call,
                         v1::ExecuteResponse& response) {
  Arrive(known, call);
  FillCall(request, call);
  ASSIGN_OR_RETURN(security::ToolResult result, known.core().pipeline().Run(call));
  std::string rendered;
  if (request.result_format() != v1::RESULT_FORMAT_UNSPECIFIED && !result.confirmation.has_value()) {
    rendered = Render(known.core(), call, request, result);
  }
  FillResponse(call, std::move(result), response);
  if (!rendered.empty()) response.mutable_result()->set_rendered_text(std::move(rendered));
  return absl::OkStatus();
}

absl::StatusOr<security::ToolResult> RunInternalTool(const KnownCall& known, InternalTool tool,
                                                     const v1::ExecuteRequest& request, Json arguments,
                                                     security::ToolCall& call) {
  Arrive(known, call);
  FillCall(request, call);
  call.tool_id = IdOf(tool);
  call.internal = tool;
  call.SetArguments(std::move(arguments));
  return known.core().pipeline().Run(call);
}

absl::Status ExecuteUndo(const KnownCall& known, const v1::UndoRequest& request, security::ToolCall& call,
                         v1::UndoResponse& response) {
  v1::ExecuteRequest execute;
  *execute.mutable_caller() = request.caller();
  execute.set_request_id(request.request_id());
  execute.set_idempotency_key(request.idempotency_key());
  execute.set_dry_run(request.dry_run());
  Json arguments = Json::object();
  if (!request.entry_id().empty()) arguments["entryId"] = request.entry_id();
  ASSIGN_OR_RETURN(security::ToolResult result,
                   RunInternalTool(known, InternalTool::kUndo, execute, std::move(arguments), call));
  CountUndo(known.runtime().metrics, result);
  FillResult(call, std::move(result), *response.mutable_result());
  return absl::OkStatus();
}

absl::Status ExecuteReadResult(const KnownCall& known, const v1::ReadResultRequest& request, security::ToolCall& call,
                               v1::ReadResultResponse& response) {
  v1::ExecuteRequest execute;
  *execute.mutable_caller() = request.caller();
  execute.set_request_id(request.request_id());
  Json arguments = {{"continuation", request.continuation()}, {"maxBytes", known.core().max_result_bytes()}};
  ASSIGN_OR_RETURN(security::ToolResult result,
                   RunInternalTool(known, InternalTool::kReadResult, execute, std::move(arguments), call));
  FillResult(call, std::move(result), *response.mutable_result());
  return absl::OkStatus();
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* StartExecuteStream(RpcRuntime& runtime,
                                                               grpc::CallbackServerContext& context,
                                                               const grpc::ByteBuffer& request) {
  auto* call = new StreamCall(runtime, context, request);
  call->Start();
  return call;
}

}  // namespace toolgate::services::rpc
