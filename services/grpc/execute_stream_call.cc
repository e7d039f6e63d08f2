#include "services/grpc/execute_stream_call.h"

#include <cstddef>
#include <utility>

#include "common/status_macros.h"
#include "services/api/known_call.h"
#include "services/api/tool_api.h"
#include "services/grpc/inbound.h"
#include "services/grpc/message_bytes.h"
#include "services/grpc/rpc_status.h"
#include "services/grpc/worker_call.h"

namespace toolgate::services::grpc {
namespace {

// Events that a slow client may leave unread, before the call waits.
constexpr size_t kMaxQueuedBytes = size_t{256} << 10;

}  // namespace

::grpc::ServerWriteReactor<::grpc::ByteBuffer>* ExecuteStreamCall::Start(GrpcRuntime& runtime,
                                                                         ::grpc::CallbackServerContext& context,
                                                                         const ::grpc::ByteBuffer& request) {
  auto* call = new ExecuteStreamCall(runtime, context, request);
  runtime.calls.Add(*call);
  if (!runtime.workers.Submit([call] { call->Run(); })) call->End(NoWorker(runtime.shared));
  return call;
}

ExecuteStreamCall::ExecuteStreamCall(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context,
                                     const ::grpc::ByteBuffer& request)
    : runtime_(runtime),
      context_(context),
      request_(request),
      timer_(runtime.shared, api::Rpc::kExecuteStream, context) {}

absl::Status ExecuteStreamCall::Execute() {
  RETURN_IF_ERROR(TakeUp(runtime_.shared, context_, cancellation_, timer_.started()));
  ASSIGN_OR_RETURN(const api::KnownCall known, api::KnownCall::Authenticate(runtime_.shared, api::Rpc::kExecuteStream,
                                                                            InboundOf(runtime_, context_, timer_)));
  v1::ExecuteStreamRequest request;
  RETURN_IF_ERROR(ReadMessage(request_, request));
  RETURN_IF_ERROR(api::ExecuteStream(known, request, cancellation_, *this));
  return last_written_;
}

void ExecuteStreamCall::Write(const v1::ExecuteStreamResponse& event) {
  ::grpc::ByteBuffer bytes;
  last_written_ = WriteMessage(event, bytes);
  if (!last_written_.ok()) return;
  absl::MutexLock lock(&mutex_);
  Push(std::move(bytes), /*is_progress=*/false);
}

void ExecuteStreamCall::WriteProgress(const v1::ExecuteStreamResponse& event) {
  ::grpc::ByteBuffer bytes;
  if (!WriteMessage(event, bytes).ok()) return;
  absl::MutexLock lock(&mutex_);
  // The first event is on its way already.
  if (events_.size() > 1 && events_.back().is_progress) {
    queued_bytes_ += bytes.Length() - events_.back().bytes.Length();
    events_.back().bytes = std::move(bytes);
  } else {
    Push(std::move(bytes), /*is_progress=*/true);
  }
}

absl::Status ExecuteStreamCall::WriteOutput(const v1::ExecuteStreamResponse& event,
                                            const fibers::Cancellation& cancellation) {
  ::grpc::ByteBuffer bytes;
  RETURN_IF_ERROR(WriteMessage(event, bytes));
  {
    absl::MutexLock lock(&mutex_);
    Push(std::move(bytes), /*is_progress=*/false);
    if (gone_ || queued_bytes_ <= kMaxQueuedBytes) return cancellation.Check();
    has_room_.Reset();
  }
  RETURN_IF_ERROR(runtime_.waits.Wait(has_room_, cancellation).status());
  return cancellation.Check();
}

void ExecuteStreamCall::Push(::grpc::ByteBuffer bytes, bool is_progress) {
  if (gone_) return;
  queued_bytes_ += bytes.Length();
  events_.push_back({std::move(bytes), is_progress});
  if (events_.size() == 1) StartWrite(&events_.front().bytes);
}

void ExecuteStreamCall::OnWriteDone(bool ok) {
  std::optional<::grpc::Status> end;
  {
    absl::MutexLock lock(&mutex_);
    queued_bytes_ -= events_.front().bytes.Length();
    events_.pop_front();
    if (!ok) {
      gone_ = true;
      cancellation_.Cancel();
    }
    if (gone_ || queued_bytes_ <= kMaxQueuedBytes) has_room_.Set();
    end = Continue();
  }
  if (end.has_value()) FinishCall(*end);
}

void ExecuteStreamCall::OnDone() {
  runtime_.calls.Remove(*this);
  delete this;
}

void ExecuteStreamCall::End(const absl::Status& status) {
  std::optional<::grpc::Status> end;
  {
    absl::MutexLock lock(&mutex_);
    end_ = ToGrpcStatus(status);
    if (events_.empty()) end = Continue();
  }
  if (end.has_value()) FinishCall(*end);
}

std::optional<::grpc::Status> ExecuteStreamCall::Continue() {
  if (events_.empty()) return end_;
  StartWrite(&events_.front().bytes);
  return std::nullopt;
}

void ExecuteStreamCall::FinishCall(const ::grpc::Status& end) {
  timer_.Finished(end.error_code());
  Finish(end);
}

}  // namespace toolgate::services::grpc
