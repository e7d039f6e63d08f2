#include "common/net/stream.h"

#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/net/tls_client.h"
#include "common/status_macros.h"

namespace toolgate::net {
namespace {

using Addresses = std::unique_ptr<addrinfo, OpensslDeleter<freeaddrinfo>>;

absl::Status CannotConnect(std::string_view place, std::string_view why) {
  return absl::UnavailableError(absl::StrCat("cannot connect to ", ToAbsl(place), ": ", ToAbsl(why)));
}

int OpenSocket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

// The socket, whose connection may be under way; or -1, and errno.
int BeginConnecting(int family, const sockaddr* address, socklen_t size) {
  const int fd = OpenSocket(family);
  if (fd < 0) return -1;
  if (connect(fd, address, size) == 0 || errno == EINPROGRESS) {
    const int on = 1;
    if (family != AF_UNIX) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
  }
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

absl::StatusOr<int> BeginUnix(const Target& target) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (target.unix_path.size() >= sizeof(address.sun_path))
    return CannotConnect(target.ToText(), "the path is too long");
  std::copy(target.unix_path.begin(), target.unix_path.end(), address.sun_path);
  const int fd = BeginConnecting(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  if (fd < 0) return CannotConnect(target.ToText(), std::strerror(errno));
  return fd;
}

// To the first of the name's addresses that takes it.
absl::StatusOr<int> BeginTcp(const Target& target) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(target.host.c_str(), absl::StrCat(target.port).c_str(), &hints, &list);
  if (error != 0) return CannotConnect(target.ToText(), gai_strerror(error));
  const Addresses owned(list);
  for (const addrinfo* address = list; address != nullptr; address = address->ai_next) {
    const int fd = BeginConnecting(address->ai_family, address->ai_addr, address->ai_addrlen);
    if (fd >= 0) return fd;
  }
  return CannotConnect(target.ToText(), std::strerror(errno));
}

bool MustWait(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

std::string Target::ToText() const {
  return unix_path.empty() ? absl::StrCat(host, ":", port) : absl::StrCat("unix:", unix_path);
}

absl::StatusOr<std::unique_ptr<Stream>> Stream::Connect(const Target& target, const Waits& waits,
                                                        const Patience& patience) {
  ASSIGN_OR_RETURN(const int fd, target.unix_path.empty() ? BeginTcp(target) : BeginUnix(target));
  std::unique_ptr<Stream> stream(new Stream(target.ToText(), waits, fd));
  RETURN_IF_ERROR(stream->Await(/*write=*/true, patience));
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return CannotConnect(stream->place_, std::strerror(error));
  if (target.tls != nullptr) RETURN_IF_ERROR(stream->Handshake(target, patience));
  return stream;
}

Stream::Stream(std::string place, const Waits& waits, int fd)
    : place_(std::move(place)),
      waits_(waits),
      fd_(fd),
      socket_(std::make_unique<SocketWatch::Socket>(waits.sockets, fd, event_)) {}

Stream::~Stream() {
  tls_.reset();
  socket_.reset();
  close(fd_);
}

absl::Status Stream::Lost(std::string_view why) const {
  return absl::UnavailableError(absl::StrCat("lost the connection to ", place_, ": ", ToAbsl(why)));
}

absl::Status Stream::Await(bool write, const Patience& patience) {
  event_.Reset();
  socket_->Arm(write);
  ASSIGN_OR_RETURN(const bool came, waits_.timer.Wait(event_, patience.call, patience.until));
  return came ? absl::OkStatus() : Lost("no reply in time");
}

absl::Status Stream::Handshake(const Target& target, const Patience& patience) {
  tls_.reset(SSL_new(target.tls));
  if (tls_ == nullptr) return absl::ResourceExhaustedError("no memory for TLS");
  SSL_set_fd(tls_.get(), fd_);
  SSL_set_tlsext_host_name(tls_.get(), target.host.c_str());
  // An address is compared with the addresses of the certificate, a name with its names.
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(tls_.get());
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, target.host.c_str()) != 1) SSL_set1_host(tls_.get(), target.host.c_str());
  while (true) {
    const int result = SSL_connect(tls_.get());
    if (result == 1) return absl::OkStatus();
    if (SSL_get_verify_result(tls_.get()) != X509_V_OK) {
      return CannotConnect(place_, absl::StrCat("its certificate is refused: ",
                                                X509_verify_cert_error_string(SSL_get_verify_result(tls_.get()))));
    }
    RETURN_IF_ERROR(AwaitTls(result, patience));
  }
}

absl::Status Stream::AwaitTls(int result, const Patience& patience) {
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Await(/*write=*/false, patience);
    case SSL_ERROR_WANT_WRITE:
      return Await(/*write=*/true, patience);
    case SSL_ERROR_ZERO_RETURN:
      return Lost("it was closed");
    default:
      return Lost(TakeTlsError());
  }
}

absl::Status Stream::Write(std::string_view bytes, const Patience& patience) {
  while (!bytes.empty()) {
    if (tls_ != nullptr) {
      const int written =
          SSL_write(tls_.get(), bytes.data(), static_cast<int>(std::min(bytes.size(), size_t{1} << 20)));
      if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
      if (written <= 0) RETURN_IF_ERROR(AwaitTls(written, patience));
      continue;
    }
    const ssize_t written = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (MustWait(errno)) {
      RETURN_IF_ERROR(Await(/*write=*/true, patience));
    } else {
      return Lost(std::strerror(errno));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> Stream::Read(absl::Span<char> to, const Patience& patience) {
  while (true) {
    if (tls_ != nullptr) {
      const int read = SSL_read(tls_.get(), to.data(), static_cast<int>(std::min(to.size(), size_t{1} << 20)));
      if (read > 0) return static_cast<size_t>(read);
      RETURN_IF_ERROR(AwaitTls(read, patience));
      continue;
    }
    const ssize_t read = recv(fd_, to.data(), to.size(), 0);
    if (read > 0) return static_cast<size_t>(read);
    if (read == 0) return Lost("it was closed");
    if (!MustWait(errno)) return Lost(std::strerror(errno));
    RETURN_IF_ERROR(Await(/*write=*/false, patience));
  }
}

bool Stream::IsStale() const {
  char byte = 0;
  return recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || !MustWait(errno);
}

}  // namespace toolgate::net
