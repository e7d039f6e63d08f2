#include "observability/otlp/export_retry.h"

#include <algorithm>

#include "absl/random/distributions.h"
#include "common/proto_bytes.h"
#include "common/proto_time.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace toolgate::observability::otlp {
namespace {

constexpr absl::Duration kLongestWait = absl::Seconds(5);
constexpr double kGrowth = 1.5;
constexpr double kJitter = 0.2;

std::optional<absl::Duration> RetryDelayOf(const ::grpc::Status& failure) {
  google::rpc::Status details;
  if (failure.error_details().empty() || !ParseProto(failure.error_details(), details).ok()) return std::nullopt;
  for (const google::protobuf::Any& detail : details.details()) {
    google::rpc::RetryInfo info;
    if (UnpackProto(detail, info)) return std::max(FromProtoDuration(info.retry_delay()), absl::ZeroDuration());
  }
  return std::nullopt;
}

bool IsRetryable(::grpc::StatusCode code, bool with_delay) {
  switch (code) {
    case ::grpc::StatusCode::CANCELLED:
    case ::grpc::StatusCode::DEADLINE_EXCEEDED:
    case ::grpc::StatusCode::ABORTED:
    case ::grpc::StatusCode::OUT_OF_RANGE:
    case ::grpc::StatusCode::UNAVAILABLE:
    case ::grpc::StatusCode::DATA_LOSS:
      return true;
    case ::grpc::StatusCode::RESOURCE_EXHAUSTED:
      return with_delay;
    default:
      return false;
  }
}

}  // namespace

std::optional<absl::Duration> ExportRetry::WaitAfter(const ::grpc::Status& failure) {
  const std::optional<absl::Duration> delay = RetryDelayOf(failure);
  if (!IsRetryable(failure.error_code(), delay.has_value())) return std::nullopt;
  const absl::Duration wait = next_ * absl::Uniform(absl::IntervalClosed, random_, 1 - kJitter, 1 + kJitter);
  next_ = std::min(next_ * kGrowth, kLongestWait);
  // A delay of zero means "now, if you like": the back-off holds then.
  return delay.has_value() && *delay > absl::ZeroDuration() ? *delay : wait;
}

}  // namespace toolgate::observability::otlp
