// The HTTP clients of a process.
#ifndef TOOLGATE_COMMON_HTTP_CLIENT_POOL_H_
#define TOOLGATE_COMMON_HTTP_CLIENT_POOL_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/http/client.h"

namespace toolgate::http {

// Settings of a request that its client decides.
struct Route {
  std::string proxy = {};  // As in ClientOptions, both of them.
  std::string ca_file = {};
};

// One client, so one thread and one set of connections, for all who ask by the same route. Every user owns a share of
// the pool, which owns the clients, so that a client outlives its users. Thread-safe.
class ClientPool {
 public:
  using Make = std::function<absl::StatusOr<std::shared_ptr<Client>>(const ClientOptions& options)>;

  // `make` makes a client; tests replace it.
  explicit ClientPool(Make make = Client::Create) : make_(std::move(make)) {}

  // The client for the route, made when it is first asked for. Lives as long as the pool. Errors are those of `make`;
  // the next time it is tried again.
  absl::StatusOr<Client*> ClientFor(const Route& route) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const Make make_;
  absl::Mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Client>> clients_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_CLIENT_POOL_H_
