#include "services/grpc/queued_stream.h"

#include <cstddef>

#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/api/take_up.h"
#include "services/grpc/rpc_status.h"
#include "services/grpc/worker_call.h"

namespace toolgate::services::grpc {

void QueuedStream::Begin() {
  runtime_.calls.Add(*this);
  if (!runtime_.workers.Submit([this] { End(ServeToTheLastEvent()); })) End(api::NoWorker(runtime_.shared));
}

absl::Status QueuedStream::ServeToTheLastEvent() {
  absl::Status status = Serve();
  // The call's own deadline is over with the call; that its client leaves counts.
  fibers::Cancellation left;
  left.Watch(cancellation_);
  const absl::Status read = AwaitReader(Until::kEmpty, left);
  if (absl::IsDeadlineExceeded(read)) status.Update(read);
  return status;
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
  Send(bytes);
  const absl::Status read = AwaitReader(Until::kHasRoom, cancellation);
  // A client that was dropped has left, and that is no one's fault but its own.
  RETURN_IF_ERROR(cancellation.Check());
  return read;
}

absl::Status QueuedStream::AwaitReader(Until until, const fibers::Cancellation& cancellation) {
  while (true) {
    absl::Duration overdue;
    {
      absl::MutexLock lock(&mutex_);
      if (HasCome(until)) return absl::OkStatus();
      awaited_ = until;
      reader_.Reset();
      overdue = write_began_ + runtime_.write_timeout;
    }
    if (overdue <= runtime_.shared.clock.Monotonic()) break;
    ASSIGN_OR_RETURN(const bool has_come, runtime_.waits.Wait(reader_, cancellation, overdue));
    if (has_come) return absl::OkStatus();
  }
  context_.TryCancel();
  cancellation_.Cancel();
  return MakeError(ErrorCode::kTimeout, "the client did not read what it was sent");
}

void QueuedStream::Push(const ::grpc::ByteBuffer& bytes, bool replaceable) {
  if (gone_) return;
  const bool idle = events_.empty();
  const size_t size = bytes.Length();
  events_.Push(bytes, size, replaceable);
  if (idle) WriteFirst();
}

void QueuedStream::WriteFirst() {
  write_began_ = runtime_.shared.clock.Monotonic();
  StartWrite(&events_.BeginFirst());
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
    end = Continue();
    if (HasCome(awaited_)) reader_.Set();
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
  WriteFirst();
  return std::nullopt;
}

void QueuedStream::FinishCall(const ::grpc::Status& end) {
  timer_.Finished(end.error_code());
  Finish(end);
}

}  // namespace toolgate::services::grpc
