// OTLP over gRPC.
#ifndef TOOLGATE_OBSERVABILITY_OTLP_GRPC_TRANSPORT_H_
#define TOOLGATE_OBSERVABILITY_OTLP_GRPC_TRANSPORT_H_

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/status.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "observability/otlp/transport.h"

namespace toolgate::observability::otlp {

// Over a connection of its own, which gRPC opens for the first batch and reopens as needed.
class GrpcTransport final : public Transport {
 public:
  struct Options {
    std::string target = {};  // As gRPC names it: "dns:collector:4317", "unix:/run/otel.sock".
    bool tls = false;
    std::string ca_pem = {};           // Authorities of the receiver's certificate; empty: the system's. For TLS only,
    std::string certificate_pem = {};  // like the certificate that this client shows; empty: none,
    std::string private_key_pem = {};  // and its key.
    std::vector<std::pair<std::string, std::string>> headers = {};  // Metadata of each request, names in lower case.
    bool gzip = false;
    std::string version = {};  // Of toolgate.
  };

  explicit GrpcTransport(Options options);

  Attempt Send(std::string_view request, absl::Duration timeout) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Cancel() override ABSL_LOCKS_EXCLUDED(mutex_);

  // An attempt that ended with `failure`. As the specification lists them, CANCELLED, DEADLINE_EXCEEDED, ABORTED,
  // OUT_OF_RANGE, UNAVAILABLE and DATA_LOSS are retried, RESOURCE_EXHAUSTED only with RetryInfo, everything else never.
  static Attempt FailureOf(const ::grpc::Status& failure);

 private:
  const Options options_;
  ::grpc::GenericStub stub_;
  absl::Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  ::grpc::ClientContext* running_ ABSL_GUARDED_BY(mutex_) = nullptr;  // Of the present attempt.
};

}  // namespace toolgate::observability::otlp

#endif  // TOOLGATE_OBSERVABILITY_OTLP_GRPC_TRANSPORT_H_
