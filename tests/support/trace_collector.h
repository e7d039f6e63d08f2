// A receiver of OTLP over gRPC, in the test's process.
#ifndef TOOLGATE_TESTS_SUPPORT_TRACE_COLLECTOR_H_
#define TOOLGATE_TESTS_SUPPORT_TRACE_COLLECTOR_H_

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "opentelemetry/proto/collector/trace/v1/trace_service.grpc.pb.h"

namespace toolgate::testing {

// Keeps every request, and answers what it is told to. Thread-safe.
class TraceCollector final : public opentelemetry::proto::collector::trace::v1::TraceService::Service {
 public:
  using Request = opentelemetry::proto::collector::trace::v1::ExportTraceServiceRequest;
  using Response = opentelemetry::proto::collector::trace::v1::ExportTraceServiceResponse;

  explicit TraceCollector(std::shared_ptr<::grpc::ServerCredentials> credentials =
                              ::grpc::InsecureServerCredentials()) {  // NOLINT: gRPC's factory of credentials.
    ::grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", std::move(credentials), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~TraceCollector() override { server_->Shutdown(std::chrono::system_clock::now()); }

  std::string target() const { return absl::StrCat("127.0.0.1:", port_); }

  // The next requests are answered by these, one each; later ones by OK.
  void AnswerNext(std::vector<::grpc::Status> statuses) {
    absl::MutexLock lock(&mutex_);
    statuses_.assign(statuses.begin(), statuses.end());
  }
  void SetResponse(const Response& response) {
    absl::MutexLock lock(&mutex_);
    response_ = response;
  }
  // Whether requests stay without an answer until their client gives up.
  void set_silent(bool silent) {
    absl::MutexLock lock(&mutex_);
    silent_ = silent;
  }

  std::vector<Request> requests() const {
    absl::MutexLock lock(&mutex_);
    return requests_;
  }
  size_t attempts() const {
    absl::MutexLock lock(&mutex_);
    return requests_.size();
  }
  void AwaitAttempts(size_t count) const {
    absl::MutexLock lock(&mutex_);
    const auto reached = [&]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return requests_.size() >= count; };
    mutex_.Await(absl::Condition(&reached));
  }
  // Of the last request.
  std::multimap<std::string, std::string> metadata() const {
    absl::MutexLock lock(&mutex_);
    return metadata_;
  }

 private:
  ::grpc::Status Export(::grpc::ServerContext* context, const Request* request, Response* response) override {
    {
      absl::MutexLock lock(&mutex_);
      requests_.push_back(*request);
      metadata_.clear();
      for (const auto& [name, value] : context->client_metadata()) {
        metadata_.emplace(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
      }
      if (!silent_) {
        if (statuses_.empty()) {
          *response = response_;
          return ::grpc::Status::OK;
        }
        ::grpc::Status status = statuses_.front();
        statuses_.pop_front();
        return status;
      }
    }
    while (!context->IsCancelled()) absl::SleepFor(absl::Milliseconds(1));
    return ::grpc::Status::CANCELLED;
  }

  int port_ = 0;
  mutable absl::Mutex mutex_;
  std::deque<::grpc::Status> statuses_ ABSL_GUARDED_BY(mutex_);
  Response response_ ABSL_GUARDED_BY(mutex_);
  bool silent_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Request> requests_ ABSL_GUARDED_BY(mutex_);
  std::multimap<std::string, std::string> metadata_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<::grpc::Server> server_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_TRACE_COLLECTOR_H_
