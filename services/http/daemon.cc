#include "services/http/daemon.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "services/http/exchange.h"
#include "services/http/raw_head.h"
#include "services/sockets/peer_shares.h"

namespace toolgate::services::http {
namespace {

using observability::LogField;

// Room of a connection besides a request's head: for a piece of its body and the head of the response.
constexpr size_t kBufferBytes = size_t{32} << 10;
constexpr char kTlsVersions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

// Leaves a text as it is. The library would decode "%2F" before a path is compared with the routes.
size_t KeepEncoded(void* /*self*/, MHD_Connection* /*connection*/, char* text) { return std::string_view(text).size(); }

// As gRPC names peers.
std::string PeerOf(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address != nullptr && address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
    return absl::StrCat("ipv4:", text.data(), ":", ntohs(v4->sin_port));
  }
  if (address != nullptr && address->sa_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
    inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
    return absl::StrCat("ipv6:[", text.data(), "]:", ntohs(v6->sin6_port));
  }
  return "unix:";
}

std::string_view ViewOf(const char* text, size_t size) {
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

MHD_Result AddHeader(void* head, MHD_ValueKind /*kind*/, const char* name, size_t name_size, const char* value,
                     size_t value_size) {
  auto& target = *static_cast<RequestHead*>(head);
  target.header_bytes += static_cast<int64_t>(name_size + value_size);
  target.Add(ViewOf(name, name_size), ViewOf(value, value_size));
  return MHD_YES;
}

// The library has split the query already, and replaced "+" by a blank.
MHD_Result AddParameter(void* head, MHD_ValueKind /*kind*/, const char* name, size_t name_size, const char* value,
                        size_t value_size) {
  auto& target = *static_cast<RequestHead*>(head);
  target.header_bytes += static_cast<int64_t>(name_size + value_size);
  if (!target.query.empty()) target.query += '&';
  target.query += ViewOf(name, name_size);
  target.query += '=';
  target.query += ViewOf(value, value_size);
  return MHD_YES;
}

MHD_Result AddRawField(void* head, MHD_ValueKind /*kind*/, const char* name, size_t name_size, const char* value,
                       size_t value_size) {
  static_cast<RawHead*>(head)->fields.push_back({ViewOf(name, name_size), ViewOf(value, value_size)});
  return MHD_YES;
}

// A callback as the library's options take it.
template <typename Function>
intptr_t CallbackOf(Function* function) {
  return reinterpret_cast<intptr_t>(function);
}

// Strictness of a library that can be strict: MHD_OPTION_CLIENT_DISCIPLINE_LVL, which older headers do not have, at the
// level for public servers.
constexpr auto kDisciplineOption = static_cast<MHD_OPTION>(38);
constexpr int kDisciplineLevel = 1;

}  // namespace

struct Daemon::Link {
  sockets::Peer peer;
  bool admitted = false;
  const char* target_end = nullptr;  // Of the request whose head comes in or is being looked at; null: not plain.
};

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(HttpRuntime& runtime, Options options) {
  auto self = absl::WrapUnique(new Daemon(runtime, std::move(options)));
  const Options& given = self->options_;
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  const int64_t timeout = std::max<int64_t>(1, absl::ToInt64Seconds(absl::Ceil(given.idle_timeout, absl::Seconds(1))));
  std::vector<MHD_OptionItem> list = {
      {MHD_OPTION_EXTERNAL_LOGGER, CallbackOf(&Daemon::OnLog), self.get()},
      {MHD_OPTION_LISTEN_SOCKET, given.fd, nullptr},
      {MHD_OPTION_CONNECTION_MEMORY_LIMIT,
       static_cast<intptr_t>(static_cast<size_t>(given.max_header_bytes) + kBufferBytes), nullptr},
      {MHD_OPTION_CONNECTION_LIMIT, given.max_connections, nullptr},
      {MHD_OPTION_CONNECTION_TIMEOUT, static_cast<intptr_t>(timeout), nullptr},
      {MHD_OPTION_STRICT_FOR_CLIENT, 1, nullptr},
      {MHD_OPTION_URI_LOG_CALLBACK, CallbackOf(&Daemon::OnTarget), self.get()},
      {MHD_OPTION_UNESCAPE_CALLBACK, CallbackOf(&KeepEncoded), nullptr},
      {MHD_OPTION_NOTIFY_COMPLETED, CallbackOf(&Daemon::OnCompleted), self.get()},
      {MHD_OPTION_NOTIFY_CONNECTION, CallbackOf(&Daemon::OnConnection), self.get()},
  };
  if (runtime.library.can_be_strict) list.push_back({kDisciplineOption, kDisciplineLevel, nullptr});
  if (!given.certificate.empty()) {
    flags |= MHD_USE_TLS;
    list.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0, const_cast<char*>(given.certificate.c_str())});
    list.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, const_cast<char*>(given.private_key.c_str())});
    list.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kTlsVersions)});
  }
  list.push_back({MHD_OPTION_END, 0, nullptr});
  self->daemon_ =
      runtime.library.start_daemon(flags, /*port=*/0, /*apc=*/nullptr, /*apc_cls=*/nullptr, &Daemon::OnRequest,
                                   self.get(), MHD_OPTION_ARRAY, list.data(), MHD_OPTION_END);
  if (self->daemon_ != nullptr) return self;
  return absl::UnavailableError(
      "libmicrohttpd does not start; the log says why at the level debug (logging.level or --log-level)");
}

Daemon::~Daemon() {
  if (daemon_ != nullptr) runtime_.library.stop_daemon(daemon_);
}

void Daemon::Quiesce() {
  runtime_.library.quiesce_daemon(daemon_);
  // The library wants the descriptor to stay until it ends; clients shall see at once that nobody accepts.
  shutdown(options_.fd, SHUT_RDWR);
}

MHD_Result Daemon::OnRequest(void* self, MHD_Connection* connection, const char* path, const char* method,
                             const char* version, const char* data, size_t* size, void** exchange) {
  auto& daemon = *static_cast<Daemon*>(self);
  if (*exchange != nullptr) return static_cast<Exchange*>(*exchange)->Continue(data, *size);
  Exchange& begun = Exchange::Begin(daemon.runtime_, *connection, daemon.HeadOf(*connection, path, method, version),
                                    PeerOf(daemon.AddressOf(*connection)), daemon.FdOf(*connection));
  *exchange = &begun;
  return begun.Start();
}

void Daemon::OnCompleted(void* /*self*/, MHD_Connection* /*connection*/, void** exchange,
                         MHD_RequestTerminationCode /*code*/) {
  auto* const ended = static_cast<Exchange*>(std::exchange(*exchange, nullptr));
  if (ended != nullptr) ended->Completed();
}

void Daemon::OnConnection(void* self, MHD_Connection* connection, void** context, MHD_ConnectionNotificationCode code) {
  auto& daemon = *static_cast<Daemon*>(self);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) return daemon.Open(*connection, context);
  daemon.runtime_.watch->Closed(daemon.FdOf(*connection));
  const std::unique_ptr<Link> link(static_cast<Link*>(std::exchange(*context, nullptr)));
  if (link != nullptr && link->admitted) daemon.runtime_.shares.Leave(link->peer);
}

void Daemon::Open(MHD_Connection& connection, void** link) {
  const int fd = FdOf(connection);
  auto opened = std::make_unique<Link>();
  opened->peer = sockets::Peer::Of(AddressOf(connection));
  opened->admitted = runtime_.shares.Enter(opened->peer);
  runtime_.watch->Opened(fd);
  // The library closes it, since it reads its end.
  if (!opened->admitted) shutdown(fd, SHUT_RDWR);
  *link = opened.release();
}

// The whole target, while it is in one piece. Also called for one that goes on behind a NUL.
void* Daemon::OnTarget(void* self, const char* target, MHD_Connection* connection) {
  Link& link = static_cast<Daemon*>(self)->LinkOf(*connection);
  const std::string_view text = target == nullptr ? std::string_view() : target;
  link.target_end = !text.empty() && IsPlainTarget(text) ? text.data() + text.size() : nullptr;
  return nullptr;
}

void Daemon::OnLog(void* self, const char* format, va_list arguments) {
  std::array<char, 512> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  std::string_view line(text.data());
  while (line.ends_with('\n')) line.remove_suffix(1);
  // Most of it is what clients do.
  static_cast<Daemon*>(self)->runtime_.shared.logger.Debug("libmicrohttpd", {{"message", line}});
}

RequestHead Daemon::HeadOf(MHD_Connection& connection, const char* path, const char* method,
                           const char* version) const {
  RequestHead head;
  head.is_plain = runtime_.library.can_be_strict || IsPlainHead(connection, path, method, version);
  head.method = method;
  head.path = path;
  head.header_bytes = static_cast<int64_t>(head.path.size());
  runtime_.library.get_connection_values_n(&connection, MHD_HEADER_KIND, &AddHeader, &head);
  runtime_.library.get_connection_values_n(&connection, MHD_GET_ARGUMENT_KIND, &AddParameter, &head);
  return head;
}

bool Daemon::IsPlainHead(MHD_Connection& connection, const char* path, const char* method, const char* version) const {
  const auto* size = runtime_.library.get_connection_info(&connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  const char* const target_end = LinkOf(connection).target_end;
  if (size == nullptr || target_end == nullptr) return false;
  RawHead head;
  head.bytes = std::string_view(method, size->header_size);
  head.method = method;
  head.target = path;
  head.target_end = target_end;
  head.version = version;
  runtime_.library.get_connection_values_n(&connection, MHD_HEADER_KIND, &AddRawField, &head);
  return IsPlain(head);
}

const sockaddr* Daemon::AddressOf(MHD_Connection& connection) const {
  const auto* info = runtime_.library.get_connection_info(&connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == nullptr ? nullptr : info->client_addr;
}

Daemon::Link& Daemon::LinkOf(MHD_Connection& connection) const {
  const auto* info = runtime_.library.get_connection_info(&connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return *static_cast<Link*>(info->socket_context);
}

int Daemon::FdOf(MHD_Connection& connection) const {
  const auto* info = runtime_.library.get_connection_info(&connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == nullptr ? -1 : info->connect_fd;
}

}  // namespace toolgate::services::http
