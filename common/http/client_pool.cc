#include "common/http/client_pool.h"

#include "common/status_macros.h"

namespace toolgate::http {

absl::StatusOr<Client*> ClientPool::ClientFor(const Route& route) {
  const absl::MutexLock lock(&mutex_);
  std::shared_ptr<Client>& client = clients_[{route.proxy, route.ca_file}];
  if (client == nullptr) {
    ASSIGN_OR_RETURN(client, make_({.proxy = route.proxy, .ca_file = route.ca_file}));
  }
  return client.get();
}

}  // namespace toolgate::http
