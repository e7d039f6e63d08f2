#include "services/sockets/listening_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/descriptor.h"
#include "common/status_macros.h"

namespace toolgate::services::sockets {
namespace {

constexpr int kBacklog = 1024;
constexpr std::string_view kUnixScheme = "unix:";

std::string ErrorText(int error) { return std::error_code(error, std::generic_category()).message(); }

absl::Status SystemRefuses(std::string_view address, int error) {
  const std::string text = absl::StrCat("cannot listen on ", ToAbsl(address), ": ", ErrorText(error));
  if (error == EADDRINUSE) {
    return absl::AlreadyExistsError(
        absl::StrCat(text,
                     ". Another process listens there: stop it, or choose another address; port 0 takes any free "
                     "one."));
  }
  if (error == EACCES || error == EPERM) {
    return absl::PermissionDeniedError(
        absl::StrCat(text, ". Choose a port above 1023, or a folder that this user may write to."));
  }
  if (error == EADDRNOTAVAIL) {
    return absl::UnavailableError(absl::StrCat(text, ". No network interface of this machine has that address."));
  }
  return absl::UnavailableError(text);
}

bool IsLoopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  if (address->sa_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
  }
  return false;
}

void SetPort(sockaddr* address, int port) {
  // The port has the same place in both families.
  reinterpret_cast<sockaddr_in*>(address)->sin_port = htons(static_cast<uint16_t>(port));
}

int PortOf(int fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  return ntohs(reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

struct HostPort {
  std::string host;
  int port = 0;
};

absl::StatusOr<HostPort> SplitHostPort(std::string_view address) {
  const auto wrong = [&](std::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("cannot listen on \"", ToAbsl(address), "\": ", ToAbsl(what),
                                                   "; write \"127.0.0.1:50051\", \"[::1]:50051\" or \"unix:/path\"."));
  };
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return wrong("there is no port");
  std::string_view host = address.substr(0, colon);
  HostPort out;
  if (!absl::SimpleAtoi(ToAbsl(address.substr(colon + 1)), &out.port) || out.port < 0 || out.port > 65535) {
    return wrong("the port is not a number from 0 to 65535");
  }
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return wrong("an IPv6 address needs square brackets");
  }
  if (host.empty()) return wrong("there is no host");
  out.host = std::string(host);
  return out;
}

struct FreeAddressInfo {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, FreeAddressInfo>;

absl::StatusOr<AddressList> Resolve(std::string_view address, const HostPort& where) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(where.host.c_str(), std::to_string(where.port).c_str(), &hints, &list);
  if (error != 0) {
    return absl::InvalidArgumentError(absl::StrCat("cannot listen on ", ToAbsl(address), ": the host \"", where.host,
                                                   "\" is not known (", gai_strerror(error), ")."));
  }
  return AddressList(list);
}

absl::StatusOr<sockaddr_un> UnixAddress(std::string_view address, const std::string& path) {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  if (path.empty() || path.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("cannot listen on \"", ToAbsl(address),
                                                   "\": there is no path; write \"unix:/run/toolgate.sock\"."));
  }
  if (path.size() >= sizeof(out.sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot listen on ", ToAbsl(address),
                                                   ": a socket's path has at most ", sizeof(out.sun_path) - 1,
                                                   " bytes, this one ", path.size(), "."));
  }
  std::memcpy(out.sun_path, path.data(), path.size());
  return out;
}

// Removes what stands at `path` if it is the socket of a server that is gone.
absl::Status RemoveStaleSocket(std::string_view address, const std::string& path, const sockaddr_un& where) {
  struct stat existing {};
  if (lstat(path.c_str(), &existing) != 0) return absl::OkStatus();
  if (!S_ISSOCK(existing.st_mode)) {
    return absl::AlreadyExistsError(absl::StrCat("cannot listen on ", ToAbsl(address),
                                                 ": a file that is not a socket is there. Move it away, or choose "
                                                 "another path."));
  }
  const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (probe.get() < 0) return SystemRefuses(address, errno);
  const bool alive = connect(probe.get(), reinterpret_cast<const sockaddr*>(&where), sizeof(where)) == 0;
  if (!alive && errno == ECONNREFUSED) {
    return unlink(path.c_str()) == 0 || errno == ENOENT ? absl::OkStatus() : SystemRefuses(address, errno);
  }
  // Also EAGAIN: somebody listens and is busy.
  return alive || errno == EAGAIN ? SystemRefuses(address, EADDRINUSE) : SystemRefuses(address, errno);
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      port_(other.port_),
      path_(std::move(other.path_)),
      device_(other.device_),
      inode_(other.inode_) {}

ListeningSocket::~ListeningSocket() {
  if (fd_ < 0) return;
  struct stat now {};
  const bool ours = !path_.empty() && lstat(path_.c_str(), &now) == 0 && now.st_dev == device_ && now.st_ino == inode_;
  if (ours) unlink(path_.c_str());
  close(fd_);
}

// Makes ListeningSockets.
class SocketBinder {
 public:
  static absl::StatusOr<std::vector<ListeningSocket>> BindTcp(std::string_view address, bool loopback_only) {
    ASSIGN_OR_RETURN(const HostPort where, SplitHostPort(address));
    ASSIGN_OR_RETURN(const AddressList list, Resolve(address, where));
    std::vector<ListeningSocket> sockets;
    int port = where.port;
    absl::Status failure = absl::UnavailableError(absl::StrCat("cannot listen on ", ToAbsl(address)));
    for (addrinfo* info = list.get(); info != nullptr; info = info->ai_next) {
      if (loopback_only && !IsLoopback(info->ai_addr)) return NotLocal(address);
      SetPort(info->ai_addr, port);  // The first one's free port holds for all.
      absl::StatusOr<ListeningSocket> socket = BindOne(address, *info);
      if (!socket.ok()) {
        failure = socket.status();
        // A family that this machine lacks ("localhost" without IPv6) is no reason to give up.
        if (failure.code() == absl::StatusCode::kUnavailable) continue;
        return failure;
      }
      port = socket->port();
      sockets.push_back(*std::move(socket));
    }
    if (sockets.empty()) return failure;
    return sockets;
  }

  static absl::StatusOr<std::vector<ListeningSocket>> BindUnix(std::string_view address) {
    std::string path(address.substr(kUnixScheme.size()));
    if (path.rfind("//", 0) == 0) path.erase(0, 2);  // unix:///absolute
    ASSIGN_OR_RETURN(const sockaddr_un where, UnixAddress(address, path));
    // Two servers that start at once must not remove each other's sockets: the folder is locked meanwhile.
    const Descriptor folder(open(FolderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0 || flock(folder.get(), LOCK_EX) != 0) return SystemRefuses(address, errno);
    RETURN_IF_ERROR(RemoveStaleSocket(address, path, where));
    Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // The mode of the socket becomes that of its file, so that nobody else can connect at any moment.
    if (fd.get() < 0 || fchmod(fd.get(), 0600) != 0 ||
        bind(fd.get(), reinterpret_cast<const sockaddr*>(&where), sizeof(where)) != 0 ||
        listen(fd.get(), kBacklog) != 0) {
      return SystemRefuses(address, errno);
    }
    struct stat made {};
    if (lstat(path.c_str(), &made) != 0) return SystemRefuses(address, errno);
    std::vector<ListeningSocket> sockets;
    sockets.push_back(ListeningSocket(fd.Release(), std::move(path), made.st_dev, made.st_ino));
    return sockets;
  }

 private:
  static absl::Status NotLocal(std::string_view address) {
    return absl::InvalidArgumentError(
        absl::StrCat("will not listen on ", ToAbsl(address),
                     ": it can be reached from other machines, and there are no credentials to check who calls. Listen "
                     "on 127.0.0.1, [::1] or a Unix socket."));
  }

  static absl::StatusOr<ListeningSocket> BindOne(std::string_view address, const addrinfo& info) {
    Descriptor fd(socket(info.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd.get() < 0) return SystemRefuses(address, errno);
    const int on = 1;
    const int off = 0;
    // Lets a restarted server have its port while connections of the former one linger in TIME_WAIT; unlike
    // SO_REUSEPORT it never lets two listen.
    setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (info.ai_family == AF_INET6) setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (bind(fd.get(), info.ai_addr, info.ai_addrlen) != 0 || listen(fd.get(), kBacklog) != 0) {
      return SystemRefuses(address, errno);
    }
    const int port = PortOf(fd.get());
    return ListeningSocket(fd.Release(), port);
  }
};

absl::StatusOr<std::vector<ListeningSocket>> Listen(std::string_view address, bool loopback_only) {
  if (address.substr(0, kUnixScheme.size()) == kUnixScheme) return SocketBinder::BindUnix(address);
  return SocketBinder::BindTcp(address, loopback_only);
}

std::string DialAddress(const std::string& listen, int port) {
  if (port == 0) return listen;
  return absl::StrCat(listen.substr(0, listen.rfind(':')), ":", port);
}

}  // namespace toolgate::services::sockets
