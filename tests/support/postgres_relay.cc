#include "tests/support/postgres_relay.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace toolgate::testing {
namespace {

sockaddr_un AddressIn(const std::string& folder) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = folder + "/.s.PGSQL.5432";
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  return address;
}

bool SendAll(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// A Parse message of an unnamed statement.
constexpr std::string_view kCommit("\0COMMIT\0", 8);

}  // namespace

PostgresRelay::PostgresRelay(std::string server) : server_(std::move(server)) {
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = AddressIn(dir_.path());
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listener_, 64) != 0) {
    std::abort();
  }
  acceptor_ = std::thread([this] { Accept(); });
}

PostgresRelay::~PostgresRelay() {
  stopping_.store(true);
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  absl::MutexLock lock(&mutex_);
  for (std::thread& thread : threads_) thread.join();
}

void PostgresRelay::Accept() {
  while (true) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    absl::MutexLock lock(&mutex_);
    threads_.emplace_back([this, client] { Serve(client); });
  }
}

void PostgresRelay::Serve(int client) {
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = AddressIn(server_);
  bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  bool drops_reply = false;
  std::array<char, 65536> buffer;
  while (open && !stopping_.load()) {
    std::array<pollfd, 2> ready = {pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    if (poll(ready.data(), ready.size(), 20) <= 0) continue;
    for (const size_t i : {size_t{0}, size_t{1}}) {
      if (ready[i].revents == 0) continue;
      const ssize_t read = recv(ready[i].fd, buffer.data(), buffer.size(), 0);
      open = open && read > 0;
      if (!open) break;
      const std::string_view bytes(buffer.data(), static_cast<size_t>(read));
      const bool from_client = i == 0;
      if (from_client && bytes.find(kCommit) != std::string_view::npos) {
        const Loss loss = loss_.exchange(Loss::kNone);
        if (loss != Loss::kNone) ++lost_;
        open = loss != Loss::kRequest;
        drops_reply = loss == Loss::kReply;
      }
      if (!from_client && drops_reply) open = false;
      if (open) open = SendAll(from_client ? server : client, bytes);
    }
  }
  close(client);
  close(server);
}

}  // namespace toolgate::testing
