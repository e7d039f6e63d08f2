// OTLP over HTTP, with bodies in protobuf ("http/protobuf").
#ifndef TOOLGATE_OBSERVABILITY_OTLP_HTTP_TRANSPORT_H_
#define TOOLGATE_OBSERVABILITY_OTLP_HTTP_TRANSPORT_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/wait_timer.h"
#include "common/http/client.h"
#include "observability/otlp/transport.h"

namespace toolgate::observability::otlp {

// A POST for each batch. The receiver is what the operator has named, so it may be anywhere, also inside. As the
// specification says, the statuses 429, 502, 503 and 504 are retried, after Retry-After if there is one, and so is a
// connection that fails; every other status is final. Redirects are not followed.
class HttpTransport final : public Transport {
 public:
  struct Options {
    std::string url = {};
    std::vector<std::pair<std::string, std::string>> headers = {};  // Of each request, names in lower case.
    bool gzip = false;
    std::string version = {};  // Of toolgate.
  };

  HttpTransport(std::unique_ptr<http::Client> client, Options options);

  Attempt Send(std::string_view request, absl::Duration timeout) override;
  void Cancel() override { cancellation_.Cancel(); }

 private:
  http::Request RequestOf(std::string_view body, absl::Duration timeout) const;

  const Options options_;
  const std::unique_ptr<http::Client> client_;
  fibers::Cancellation cancellation_;
  fibers::WaitTimer timer_{Clock::Real()};
};

}  // namespace toolgate::observability::otlp

#endif  // TOOLGATE_OBSERVABILITY_OTLP_HTTP_TRANSPORT_H_
