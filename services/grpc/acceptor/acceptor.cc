#include "services/grpc/acceptor/acceptor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/types/span.h"
#include "common/clock.h"
#include "common/status_macros.h"
#include "services/grpc/acceptor/read_hold.h"

namespace toolgate::services::grpc::acceptor {
namespace {

// Pause of accepting when the process has no descriptor left; connections wait in the kernel's queue meanwhile.
constexpr int kPauseMs = 100;

}  // namespace

absl::StatusOr<std::unique_ptr<Acceptor>> Acceptor::Listen(std::string_view address, bool loopback_only,
                                                           sockets::PeerShares::Options shares) {
  ASSIGN_OR_RETURN(std::vector<ListeningSocket> sockets, sockets::Listen(address, loopback_only));
  return absl::WrapUnique(new Acceptor(std::move(sockets), std::move(shares)));
}

Acceptor::Acceptor(std::vector<ListeningSocket> sockets, sockets::PeerShares::Options shares)
    : sockets_(std::move(sockets)),
      port_(sockets_.front().port()),
      limiter_(std::move(shares)),
      stop_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Acceptor::~Acceptor() {
  Stop();
  if (stop_event_ >= 0) close(stop_event_);
}

void Acceptor::Serve(::grpc::ServerBuilder& builder, std::shared_ptr<::grpc::ServerCredentials> credentials) {
  using ConnectionType = ::grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  door_ = builder.experimental().AddExternalConnectionAcceptor(ConnectionType::FROM_FD, std::move(credentials));
}

void Acceptor::ServePlaintext(::grpc::ServerBuilder& builder, const SettingsGate::Limits& limits) {
  Serve(builder, ::grpc::InsecureServerCredentials());
  gate_.emplace(limits, Clock::Real());
}

void Acceptor::Start() {
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "toolgate-accept");
    Run();
  });
}

void Acceptor::Stop() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    while (write(stop_event_, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
    thread_.join();
  }
  sockets_.clear();
  // Otherwise their clients would wait for as long as the calls of others have to end.
  if (gate_.has_value()) gate_->Close();
}

bool Acceptor::Stopped(int timeout_ms) const {
  pollfd event{stop_event_, POLLIN, 0};
  return poll(&event, 1, timeout_ms) > 0;
}

void Acceptor::Run() {
  std::vector<pollfd> events;
  while (true) {
    events.assign(1, {stop_event_, POLLIN, 0});
    for (const ListeningSocket& socket : sockets_) events.push_back({socket.fd(), POLLIN, 0});
    if (gate_.has_value()) gate_->AppendTo(events);
    if (poll(events.data(), events.size(), gate_.has_value() ? gate_->TimeoutMs() : -1) < 0) {
      if (errno != EINTR && Stopped(kPauseMs)) return;
      continue;
    }
    if (events[0].revents != 0) return;
    if (gate_.has_value()) {
      const auto gated = absl::MakeConstSpan(events).subspan(1 + sockets_.size());
      for (const SettingsGate::Passed& connection : gate_->Serve(gated)) HandOver(connection);
    }
    bool exhausted = false;
    for (size_t i = 0; i < sockets_.size(); ++i) {
      if (events[i + 1].revents != 0 && !AcceptFrom(sockets_[i])) exhausted = true;
    }
    if (exhausted && Stopped(kPauseMs)) return;
  }
}

bool Acceptor::AcceptFrom(const ListeningSocket& socket) {
  const int fd = accept4(socket.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
  if (!limiter_.Admit(fd)) {
    close(fd);
    return true;
  }
  const int on = 1;
  if (socket.is_tcp()) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (gate_.has_value()) {
    gate_->Add(fd, socket.fd(), socket.is_tcp());
  } else {
    HandOver({.fd = fd, .listener_fd = socket.fd()});
  }
  return true;
}

void Acceptor::HandOver(const SettingsGate::Passed& connection) {
  ::grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.listener_fd = connection.listener_fd;
  parameters.fd = connection.fd;
  if (!connection.opening.empty()) {
    const ::grpc::Slice opening(connection.opening);
    parameters.read_buffer = ::grpc::ByteBuffer(&opening, 1);
  }
  if (!gate_.has_value() || !connection.is_tcp) {
    door_->HandleNewConnection(&parameters);
    return;
  }
  // gRPC reads before it sends its SETTINGS, if there is anything to read, and an acknowledgement that it reads before
  // then acknowledges nothing. When it returns from here, it has sent them.
  //
  // The hold is no proof: Linux lets a socket be read whose window is full, as that of an honest client may be whose
  // first message is long. Such a connection is not closed.
  const ReadHold hold(connection.fd);
  door_->HandleNewConnection(&parameters);
}

}  // namespace toolgate::services::grpc::acceptor
