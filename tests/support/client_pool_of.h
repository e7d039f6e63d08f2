// A pool of HTTP clients with one client.
#ifndef TOOLGATE_TESTS_SUPPORT_CLIENT_POOL_OF_H_
#define TOOLGATE_TESTS_SUPPORT_CLIENT_POOL_OF_H_

#include <memory>
#include <utility>

#include "common/http/client_pool.h"

namespace toolgate::testing {

// Hands out `client` for every route.
inline std::shared_ptr<http::ClientPool> ClientPoolOf(std::shared_ptr<http::Client> client) {
  return std::make_shared<http::ClientPool>(
      [client = std::move(client)](const http::ClientOptions&) -> absl::StatusOr<std::shared_ptr<http::Client>> {
        return client;
      });
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_CLIENT_POOL_OF_H_
