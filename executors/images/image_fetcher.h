// Fetches images that a model has answered an address of.
#ifndef TOOLGATE_EXECUTORS_IMAGES_IMAGE_FETCHER_H_
#define TOOLGATE_EXECUTORS_IMAGES_IMAGE_FETCHER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/fibers/wait.h"
#include "common/http/client.h"

namespace toolgate::executors::images {

// Over http or https, from public addresses only, with at most three redirects. Thread-safe.
class ImageFetcher {
 public:
  // `client` null: one of its own is made with the first request.
  ImageFetcher(http::ClientOptions options, std::shared_ptr<http::Client> client)
      : options_(std::move(options)), client_(std::move(client)) {}

  // EXECUTION_ERROR with the cause, retryable as that is; the address stands in none. Errors of `wait` are unchanged.
  absl::StatusOr<std::string> Fetch(const std::string& url, int64_t max_bytes, fibers::Wait wait)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::StatusOr<std::shared_ptr<http::Client>> Client() ABSL_LOCKS_EXCLUDED(mutex_);

  const http::ClientOptions options_;
  absl::Mutex mutex_;
  std::shared_ptr<http::Client> client_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::executors::images

#endif  // TOOLGATE_EXECUTORS_IMAGES_IMAGE_FETCHER_H_
