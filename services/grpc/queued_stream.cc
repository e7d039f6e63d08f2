#include "services/grpc/queued_stream.h"

#include <cstddef>

#include "common/status_macros.h"
#include "services/api/take_up.h"
#include "services/grpc/rpc_status.h"
#include "services/grpc/worker_call.h"

namespace toolgate::services::grpc {

void QueuedStream::Begin() {
  runtime_.calls.Add(*this);
  if (!runtime_.workers.Submit([this] { End(Serve()); })) End(api::NoWorker(runtime_.shared));
}

void QueuedStream::Send(const ::grpc::ByteBuffer& bytes) {
  absl::MutexLock lock(&mutex_);
  Push(bytes, /*replaceable=*/false);
}

void QueuedStream::SendReplaceable(const ::grpc::ByteBuffer& bytes) {
  absl::MutexLock lock(&mutex_);
  Push(bytes, /*replaceable=*/true);
}

absl::Status QueuedStream::SendAndWait(const ::grpc::ByteBuffer& bytes, const fibers::Cancellation& cancellation) {
  {
    absl::MutexLock lock(&mutex_);
    Push(bytes, /*replaceable=*/false);
    if (gone_ || events_.HasRoom()) return cancellation.Check();
    has_room_.Reset();
  }
  RETURN_IF_ERROR(runtime_.waits.Wait(has_room_, cancellation).status());
  return cancellation.Check();
}

void QueuedStream::Push(const ::grpc::ByteBuffer& bytes, bool replaceable) {
  if (gone_) return;
  const bool idle = events_.empty();
  const size_t size = bytes.Length();
  events_.Push(bytes, size, replaceable);
  if (idle) StartWrite(&events_.BeginFirst());
}

void QueuedStream::OnWriteDone(bool ok) {
  std::optional<::grpc::Status> end;
  {
    absl::MutexLock lock(&mutex_);
    events_.Pop();
    if (!ok) {
      gone_ = true;
      cancellation_.Cancel();
    }
    if (gone_ || events_.HasRoom()) has_room_.Set();
    end = Continue();
  }
  if (end.has_value()) FinishCall(*end);
}

void QueuedStream::OnDone() {
  runtime_.calls.Remove(*this);
  delete this;
}

void QueuedStream::End(const absl::Status& status) {
  std::optional<::grpc::Status> end;
  {
    absl::MutexLock lock(&mutex_);
    end_ = ToGrpcStatus(status);
    if (events_.empty()) end = Continue();
  }
  if (end.has_value()) FinishCall(*end);
}

std::optional<::grpc::Status> QueuedStream::Continue() {
  if (events_.empty()) return end_;
  StartWrite(&events_.BeginFirst());
  return std::nullopt;
}

void QueuedStream::FinishCall(const ::grpc::Status& end) {
  timer_.Finished(end.error_code());
  Finish(end);
}

}  // namespace toolgate::services::grpc
