// grpc.health.v1: whether this process lives, and whether it wants calls.
#ifndef TOOLGATE_SERVICES_GRPC_HEALTH_SERVICE_H_
#define TOOLGATE_SERVICES_GRPC_HEALTH_SERVICE_H_

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "services/grpc/call_tracker.h"

namespace toolgate::services::grpc {

// gRPC's own health service is not used because its watches would hold up every drain until the deadline. Thread-safe.
class HealthService final
    : public ::grpc::health::v1::Health::WithRawCallbackMethod_Check<
          ::grpc::health::v1::Health::WithRawCallbackMethod_Watch<::grpc::health::v1::Health::Service>> {
 public:
  // `names` share one answer, readiness; "" is always SERVING. `calls` is borrowed.
  HealthService(CallTracker& calls, std::vector<std::string> names) : calls_(calls), names_(std::move(names)) {}

  void SetReady(bool ready);
  // Not ready, for good. Watches hear of it and are then ended by CallTracker::CancelOpenEnded.
  void BeginDrain();

  ::grpc::ServerUnaryReactor* Check(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                    ::grpc::ByteBuffer* response) override;
  ::grpc::ServerWriteReactor<::grpc::ByteBuffer>* Watch(::grpc::CallbackServerContext* context,
                                                        const ::grpc::ByteBuffer* request) override;

 private:
  class WatchReactor;
  using ServingStatus = ::grpc::health::v1::HealthCheckResponse::ServingStatus;

  ::grpc::Status Answer(const ::grpc::ByteBuffer& request, ::grpc::ByteBuffer& response) ABSL_LOCKS_EXCLUDED(mutex_);
  // SERVICE_UNKNOWN for a name that is not known.
  ServingStatus StatusOf(std::string_view name) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  void TellWatches() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  CallTracker& calls_;
  const std::vector<std::string> names_;
  absl::Mutex mutex_;
  bool ready_ ABSL_GUARDED_BY(mutex_) = false;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  std::list<WatchReactor*> watches_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_HEALTH_SERVICE_H_
