// Sends spans by OTLP over gRPC.
#ifndef TOOLGATE_OBSERVABILITY_OTLP_OTLP_EXPORTER_H_
#define TOOLGATE_OBSERVABILITY_OTLP_OTLP_EXPORTER_H_

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/random/random.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "observability/otlp/export_retry.h"
#include "observability/otlp/request_encoder.h"
#include "observability/tracing/resource.h"
#include "observability/tracing/span_exporter.h"

namespace toolgate::observability::otlp {

// Exports over a connection of its own, which gRPC opens for the first batch and reopens as needed. A batch is sent
// until it is taken, refused for good, or out of time.
class OtlpExporter final : public tracing::SpanExporter {
 public:
  struct Options {
    std::string target;  // As gRPC names it: "dns:collector:4317", "unix:/run/otel.sock".
    bool tls = false;
    std::string ca_pem;           // Authorities of the receiver's certificate; empty: the system's. For TLS only,
    std::string certificate_pem;  // like the certificate that this client shows; empty: none,
    std::string private_key_pem;  // and its key.
    std::vector<std::pair<std::string, std::string>> headers;  // Metadata of each request, names in lower case.
    bool gzip = false;
    absl::Duration timeout;  // Of one batch, with all retries.
    tracing::Resource resource;
    std::string version;  // Of toolgate.
    // Told of the receiver's remarks on batches that it took.
    std::function<void(int64_t rejected, std::string_view message)> on_remark = nullptr;
    // Waits between two attempts, in place of real time; for tests.
    std::function<void(absl::Duration)> wait = nullptr;
    const Clock* clock = &Clock::Real();  // Measures the time-out. Borrowed.
  };

  explicit OtlpExporter(Options options);

  absl::StatusOr<int64_t> Export(std::span<const tracing::SpanRef> batch, absl::Duration timeout) override;
  void StopRetrying() override ABSL_LOCKS_EXCLUDED(mutex_);
  void Cancel() override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // One attempt.
  ::grpc::Status Send(const ::grpc::ByteBuffer& request, absl::Duration timeout, ::grpc::ByteBuffer& response)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // False when no further attempt shall be made.
  bool Wait(absl::Duration duration) ABSL_LOCKS_EXCLUDED(mutex_);
  int64_t ReadResponse(const ::grpc::ByteBuffer& response) const;

  const Options options_;
  RequestEncoder encoder_;
  ::grpc::GenericStub stub_;
  absl::BitGen random_;
  absl::Mutex mutex_;
  bool no_retries_ ABSL_GUARDED_BY(mutex_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  ::grpc::ClientContext* running_ ABSL_GUARDED_BY(mutex_) = nullptr;  // Of the present attempt.
};

}  // namespace toolgate::observability::otlp

#endif  // TOOLGATE_OBSERVABILITY_OTLP_OTLP_EXPORTER_H_
