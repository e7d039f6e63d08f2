#include "services/grpc/health_service.h"

#include <algorithm>
#include <memory>

#include "services/grpc/message_bytes.h"

namespace toolgate::services::grpc {
namespace {

// A watch keeps its request as long as it lasts, and anybody may open one. The longest name of ours has 40 bytes.
constexpr size_t kMaxWatchedName = 256;

// Ends a watch before it began, and then itself.
class RefusedWatch final : public ::grpc::ServerWriteReactor<::grpc::ByteBuffer> {
 public:
  explicit RefusedWatch(const ::grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

using ::grpc::health::v1::HealthCheckRequest;
using ::grpc::health::v1::HealthCheckResponse;

// One watch: sends the status at once and whenever it changes. gRPC never runs a reaction inside the call that causes
// it (StartWrite, Finish), so these are called with the service's mutex held.
class HealthService::WatchReactor final : public ::grpc::ServerWriteReactor<::grpc::ByteBuffer>, public TrackedCall {
 public:
  WatchReactor(HealthService& service, std::string name) : service_(service), name_(std::move(name)) {}

  void Begin() {
    {
      absl::MutexLock lock(&service_.mutex_);
      place_ = service_.watches_.insert(service_.watches_.end(), this);
    }
    service_.calls_.Add(*this, CallTracker::Length::kOpenEnded);
    absl::MutexLock lock(&service_.mutex_);
    Advance();
  }

  // The service's mutex is held.
  void Advance() {
    service_.mutex_.AssertHeld();
    if (finished_ || writing_) return;
    const ServingStatus status = service_.StatusOf(name_);
    if (!cancelled_by_client_ && (!sent_any_ || status != sent_.status())) {
      sent_any_ = true;
      sent_.set_status(status);
      writing_ = true;
      static_cast<void>(WriteAnswer(sent_, sent_bytes_));  // A number is never too long.
      StartWrite(&sent_bytes_);
    } else if (ending_) {
      finished_ = true;
      Finish(cancelled_by_client_ ? ::grpc::Status::CANCELLED
                                  : ::grpc::Status(::grpc::StatusCode::UNAVAILABLE, "The server is shutting down."));
    }
  }

  void Cancel() override {
    absl::MutexLock lock(&service_.mutex_);
    ending_ = true;
    Advance();
  }

 private:
  void OnWriteDone(bool ok) override {
    absl::MutexLock lock(&service_.mutex_);
    writing_ = false;
    if (!ok) End();
    Advance();
  }

  void OnCancel() override {
    absl::MutexLock lock(&service_.mutex_);
    End();
    Advance();
  }

  void OnDone() override {
    {
      absl::MutexLock lock(&service_.mutex_);
      service_.watches_.erase(place_);
    }
    service_.calls_.Remove(*this);
    delete this;
  }

  void End() {
    ending_ = true;
    cancelled_by_client_ = true;
  }

  HealthService& service_;
  const std::string name_;
  // Guarded by the service's mutex.
  std::list<WatchReactor*>::iterator place_;
  HealthCheckResponse sent_;
  ::grpc::ByteBuffer sent_bytes_;
  bool sent_any_ = false;
  bool writing_ = false;
  bool ending_ = false;
  bool cancelled_by_client_ = false;
  bool finished_ = false;
};

HealthService::ServingStatus HealthService::StatusOf(std::string_view name) const {
  if (name.empty()) return HealthCheckResponse::SERVING;
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) return HealthCheckResponse::SERVICE_UNKNOWN;
  return ready_ && !draining_ ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

void HealthService::TellWatches() {
  for (WatchReactor* watch : watches_) watch->Advance();
}

void HealthService::SetReady(bool ready) {
  absl::MutexLock lock(&mutex_);
  ready_ = ready;
  TellWatches();
}

void HealthService::BeginDrain() {
  absl::MutexLock lock(&mutex_);
  draining_ = true;
  TellWatches();
}

::grpc::Status HealthService::Answer(const ::grpc::ByteBuffer& request, ::grpc::ByteBuffer& response) {
  HealthCheckRequest question;
  if (::grpc::Status read = ReadQuestion(request, question); !read.ok()) return read;
  HealthCheckResponse answer;
  {
    absl::ReaderMutexLock lock(&mutex_);
    answer.set_status(StatusOf(question.service()));
  }
  if (answer.status() == HealthCheckResponse::SERVICE_UNKNOWN) {
    return {::grpc::StatusCode::NOT_FOUND, "There is no service of that name."};
  }
  return WriteAnswer(answer, response);
}

::grpc::ServerUnaryReactor* HealthService::Check(::grpc::CallbackServerContext* context,
                                                 const ::grpc::ByteBuffer* request, ::grpc::ByteBuffer* response) {
  auto* reactor = context->DefaultReactor();
  reactor->Finish(Answer(*request, *response));
  return reactor;
}

::grpc::ServerWriteReactor<::grpc::ByteBuffer>* HealthService::Watch(::grpc::CallbackServerContext*,
                                                                     const ::grpc::ByteBuffer* request) {
  HealthCheckRequest question;
  if (const ::grpc::Status read = ReadQuestion(*request, question); !read.ok()) return new RefusedWatch(read);
  if (question.service().size() > kMaxWatchedName) {
    return new RefusedWatch(
        {::grpc::StatusCode::INVALID_ARGUMENT, "The name of a service to watch has at most 256 bytes."});
  }
  auto* reactor = new WatchReactor(*this, question.service());
  reactor->Begin();
  return reactor;
}

}  // namespace toolgate::services::grpc
