// A provider whose responses a test provides.
#ifndef TOOLGATE_TESTS_SUPPORT_FAKE_PROVIDER_H_
#define TOOLGATE_TESTS_SUPPORT_FAKE_PROVIDER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/http/client.h"
#include "executors/providers/provider.h"
#include "executors/providers/settings.pb.h"

namespace toolgate::testing {

struct FakeResponse {
  int status = 200;
  std::vector<http::Header> headers = {{"content-type", "application/json"}};  // Names in lower case.
  // The body. Open hands it out in these pieces, Send as a whole.
  std::vector<std::string> pieces = {};
  // Met after the last piece, instead of the body's end.
  absl::Status broken = absl::OkStatus();
};

// Answers what `answer` does: a response, or the error that a real provider would have made of its failure. Attempts
// nothing twice. Streams are spans of the call, with the attributes of the request. Thread-safe, if `answer` is.
class FakeProvider final : public executors::providers::Provider {
 public:
  using Answer = std::function<absl::StatusOr<FakeResponse>(const executors::providers::ProviderRequest& request)>;

  explicit FakeProvider(Answer answer, std::string name = "fake", executors::providers::ProviderSettings settings = {})
      : answer_(std::move(answer)), name_(std::move(name)), settings_(std::move(settings)) {}

  // The body of every response.
  static std::shared_ptr<FakeProvider> Answering(std::string body);

  absl::Status Configured() const override;
  absl::StatusOr<http::Response> Send(const executors::providers::ProviderRequest& request,
                                      executors::providers::Scope& scope) override;
  absl::StatusOr<std::unique_ptr<executors::providers::ProviderStream>> Open(
      const executors::providers::ProviderRequest& request, executors::providers::Scope& scope) override;
  const std::string& name() const override { return name_; }
  const executors::providers::ProviderSettings& settings() const override { return settings_; }

  // Before calls run.
  void set_configured(absl::Status configured) { configured_ = std::move(configured); }

  std::vector<executors::providers::ProviderRequest> requests() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::StatusOr<FakeResponse> Take(const executors::providers::ProviderRequest& request);

  const Answer answer_;
  const std::string name_;
  const executors::providers::ProviderSettings settings_;
  absl::Status configured_ = absl::OkStatus();
  mutable absl::Mutex mutex_;
  std::vector<executors::providers::ProviderRequest> requests_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_FAKE_PROVIDER_H_
