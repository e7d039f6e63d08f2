// Fetches images that a model has answered an address of.
#ifndef TOOLGATE_EXECUTORS_IMAGES_IMAGE_FETCHER_H_
#define TOOLGATE_EXECUTORS_IMAGES_IMAGE_FETCHER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/fibers/wait.h"
#include "common/http/client_pool.h"

namespace toolgate::executors::images {

// Over http or https, from public addresses only, with at most three redirects. Thread-safe.
class ImageFetcher {
 public:
  ImageFetcher(http::Route route, std::shared_ptr<http::ClientPool> clients)
      : route_(std::move(route)), clients_(std::move(clients)) {}

  // EXECUTION_ERROR with the cause, retryable as that is; the address stands in none. Errors of `wait` are unchanged.
  absl::StatusOr<std::string> Fetch(const std::string& url, int64_t max_bytes, fibers::Wait wait);

 private:
  const http::Route route_;
  const std::shared_ptr<http::ClientPool> clients_;
};

}  // namespace toolgate::executors::images

#endif  // TOOLGATE_EXECUTORS_IMAGES_IMAGE_FETCHER_H_
