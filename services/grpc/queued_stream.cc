#include "services/grpc/queued_stream.h"

#include <utility>

#include "common/status_macros.h"
#include "services/api/take_up.h"
#include "services/grpc/rpc_status.h"
#include "services/grpc/worker_call.h"

namespace toolgate::services::grpc {
namespace {

// Events that a slow client may leave unread, before the call waits.
constexpr size_t kMaxQueuedBytes = size_t{256} << 10;

}  // namespace

void QueuedStream::Begin() {
  runtime_.calls.Add(*this);
  if (!runtime_.workers.Submit([this] { End(Serve()); })) End(api::NoWorker(runtime_.shared));
}

void QueuedStream::Send(::grpc::ByteBuffer bytes) {
  absl::MutexLock lock(&mutex_);
  Push(std::move(bytes), /*replaceable=*/false);
}

void QueuedStream::SendReplaceable(::grpc::ByteBuffer bytes) {
  absl::MutexLock lock(&mutex_);
  // The first event is on its way already.
  if (events_.size() > 1 && events_.back().replaceable) {
    queued_bytes_ += bytes.Length() - events_.back().bytes.Length();
    events_.back().bytes = std::move(bytes);
  } else {
    Push(std::move(bytes), /*replaceable=*/true);
  }
}

absl::Status QueuedStream::SendAndWait(::grpc::ByteBuffer bytes, const fibers::Cancellation& cancellation) {
  {
    absl::MutexLock lock(&mutex_);
    Push(std::move(bytes), /*replaceable=*/false);
    if (gone_ || queued_bytes_ <= kMaxQueuedBytes) return cancellation.Check();
    has_room_.Reset();
  }
  RETURN_IF_ERROR(runtime_.waits.Wait(has_room_, cancellation).status());
  return cancellation.Check();
}

void QueuedStream::Push(::grpc::ByteBuffer bytes, bool replaceable) {
  if (gone_) return;
  queued_bytes_ += bytes.Length();
  events_.push_back({std::move(bytes), replaceable});
  if (events_.size() == 1) StartWrite(&events_.front().bytes);
}

void QueuedStream::OnWriteDone(bool ok) {
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
  StartWrite(&events_.front().bytes);
  return std::nullopt;
}

void QueuedStream::FinishCall(const ::grpc::Status& end) {
  timer_.Finished(end.error_code());
  Finish(end);
}

}  // namespace toolgate::services::grpc
