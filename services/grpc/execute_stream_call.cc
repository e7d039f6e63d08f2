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

// Events that a slow client may leave waiting.
constexpr size_t kMaxWaitingEvents = 16;

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
    : runtime_(runtime), context_(context), request_(request), timer_(runtime.shared, api::Rpc::kExecuteStream) {}

absl::Status ExecuteStreamCall::Execute() {
  RETURN_IF_ERROR(TakeUp(runtime_.shared, context_, cancellation_, timer_.started()));
  ASSIGN_OR_RETURN(const api::KnownCall known, api::KnownCall::Authenticate(runtime_.shared, api::Rpc::kExecuteStream,
                                                                            InboundOf(runtime_, context_)));
  v1::ExecuteStreamRequest request;
  RETURN_IF_ERROR(ReadMessage(request_, request));
  RETURN_IF_ERROR(api::ExecuteStream(known, request, cancellation_, *this));
  return last_written_;
}

bool ExecuteStreamCall::Write(const v1::ExecuteStreamResponse& event) {
  ::grpc::ByteBuffer bytes;
  last_written_ = WriteMessage(event, bytes);
  if (!last_written_.ok()) return false;
  Baton room;
  {
    absl::MutexLock lock(&mutex_);
    if (gone_) return false;
    events_.push_back(std::move(bytes));
    if (events_.size() == 1) StartWrite(&events_.front());
    if (events_.size() <= kMaxWaitingEvents) return true;
    room_ = &room;
  }
  // gRPC reports every write, also that of a cancelled call, so this ends.
  room.WaitAside();
  absl::MutexLock lock(&mutex_);
  return !gone_;
}

void ExecuteStreamCall::OnWriteDone(bool ok) {
  std::optional<::grpc::Status> end;
  Baton* room = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    events_.pop_front();
    if (!ok) {
      gone_ = true;
      cancellation_.Cancel();
    }
    if (events_.size() <= kMaxWaitingEvents) room = std::exchange(room_, nullptr);
    end = Continue();
  }
  if (room != nullptr) room->Post();
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
  StartWrite(&events_.front());
  return std::nullopt;
}

void ExecuteStreamCall::FinishCall(const ::grpc::Status& end) {
  timer_.Finished(end.error_code());
  Finish(end);
}

}  // namespace toolgate::services::grpc
