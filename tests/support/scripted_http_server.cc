#include "tests/support/scripted_http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace toolgate::testing {
namespace {

constexpr absl::Duration kPatience = absl::Minutes(1);
constexpr size_t kBlock = size_t{64} << 10;

std::shared_ptr<SSL_CTX> TlsOf(const IssuedCertificate* issued) {
  if (issued == nullptr) return nullptr;
  std::shared_ptr<SSL_CTX> tls(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> certificate_text(
      BIO_new_mem_buf(issued->certificate.data(), static_cast<int>(issued->certificate.size())), BIO_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> key_text(
      BIO_new_mem_buf(issued->private_key.data(), static_cast<int>(issued->private_key.size())), BIO_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr), X509_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  EXPECT_EQ(SSL_CTX_use_certificate(tls.get(), certificate.get()), 1);
  EXPECT_EQ(SSL_CTX_use_PrivateKey(tls.get(), key.get()), 1);
  return tls;
}

// Has OpenSSL's writes to a closed connection fail, instead of ending the process.
void IgnoreBrokenPipes() {
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
}

std::string_view FindHeader(const std::vector<http::Header>& headers, std::string_view name) {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [name](const http::Header& header) { return header.name == name; });
  return found == headers.end() ? std::string_view() : found->value;
}

// The request line and headers, without the empty line.
SeenRequest ParseHead(std::string_view text) {
  SeenRequest request;
  const std::string_view line = text.substr(0, text.find("\r\n"));
  const size_t path = line.find(' ') + 1;
  request.method = line.substr(0, path - 1);
  request.path = line.substr(path, line.rfind(' ') - path);
  for (size_t at = line.size() + 2; at < text.size();) {
    const size_t end = std::min(text.find("\r\n", at), text.size());
    const std::string_view header = text.substr(at, end - at);
    const size_t colon = header.find(':');
    std::string name(header.substr(0, colon));
    std::string value(header.substr(std::min(colon + 1, header.size())));
    absl::AsciiStrToLower(&name);
    absl::StripAsciiWhitespace(&value);
    request.headers.push_back({std::move(name), std::move(value)});
    at = end + 2;
  }
  return request;
}

std::string HeadOf(const ScriptedReply& reply) {
  std::string head = absl::StrCat("HTTP/1.1 ", reply.status, " Scripted\r\n");
  for (const http::Header& header : reply.headers) absl::StrAppend(&head, header.name, ": ", header.value, "\r\n");
  if (reply.endless_bytes > 0) {
    absl::StrAppend(&head, "Connection: close\r\n");
  } else if (!reply.chunks.empty()) {
    absl::StrAppend(&head, "Transfer-Encoding: chunked\r\n");
  } else {
    absl::StrAppend(&head, "Content-Length: ", reply.body.size() + (reply.cut_off ? 1 : 0), "\r\n");
  }
  return absl::StrCat(head, "\r\n");
}

}  // namespace

// One connection and the thread that serves it. Its end can be asked for by other threads.
class ScriptedHttpServer::Connection {
 public:
  Connection(int socket, size_t number) : socket_(socket), number_(number) {}
  ~Connection() {
    if (thread_.joinable()) thread_.join();
    close(socket_);
  }

  size_t number() const { return number_; }
  void Start(std::thread thread) { thread_ = std::move(thread); }
  // Ends reads and writes of the connection's own thread.
  void Stop() { shutdown(socket_, SHUT_RDWR); }

  bool Shake(SSL_CTX* tls) {
    if (tls == nullptr) return true;
    tls_.reset(SSL_new(tls), SSL_free);
    SSL_set_fd(tls_.get(), socket_);
    return SSL_accept(tls_.get()) == 1;
  }

  // Nothing when the client has closed the connection.
  std::optional<SeenRequest> Read() {
    size_t end;
    while ((end = read_.find("\r\n\r\n")) == std::string::npos) {
      if (!ReadMore()) return std::nullopt;
    }
    SeenRequest request = ParseHead(std::string_view(read_).substr(0, end));
    request.connection = number_;
    size_t length = 0;
    static_cast<void>(absl::SimpleAtoi(std::string(FindHeader(request.headers, "content-length")), &length));
    if (absl::EqualsIgnoreCase(std::string(FindHeader(request.headers, "expect")), "100-continue")) {
      Write("HTTP/1.1 100 Continue\r\n\r\n");
    }
    while (read_.size() < end + 4 + length) {
      if (!ReadMore()) return std::nullopt;
    }
    request.body = read_.substr(end + 4, length);
    read_.erase(0, end + 4 + length);
    return request;
  }

  bool Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = tls_ != nullptr ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                                            : send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(count);
    }
    return true;
  }

  // Returns when the client, or Stop, has ended the connection.
  void AwaitEnd() {
    while (ReadMore()) read_.clear();
  }

  void Close() {
    if (tls_ != nullptr) SSL_shutdown(tls_.get());
    shutdown(socket_, SHUT_RDWR);
  }

 private:
  bool ReadMore() {
    char buffer[16384];
    const ssize_t count =
        tls_ != nullptr ? SSL_read(tls_.get(), buffer, sizeof buffer) : recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    read_.append(buffer, count);
    return true;
  }

  const int socket_;
  const size_t number_;
  std::shared_ptr<SSL> tls_;
  std::string read_;
  std::thread thread_;
};

std::string_view SeenRequest::Find(std::string_view name) const { return FindHeader(headers, name); }

ScriptedHttpServer::ScriptedHttpServer(Answer answer, const IssuedCertificate* certificate)
    : answer_(std::move(answer)), tls_(TlsOf(certificate)) {
  Listen();
  acceptor_ = std::thread([this] { Accept(); });
}

ScriptedHttpServer::~ScriptedHttpServer() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    for (const auto& connection : connections_) connection->Stop();
  }
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  std::list<std::unique_ptr<Connection>> connections;
  {
    absl::MutexLock lock(&mutex_);
    connections.swap(connections_);
  }
}

std::string ScriptedHttpServer::url() const {
  return absl::StrCat(tls_ != nullptr ? "https" : "http", "://127.0.0.1:", port_);
}

std::vector<SeenRequest> ScriptedHttpServer::requests() const {
  absl::MutexLock lock(&mutex_);
  return requests_;
}

size_t ScriptedHttpServer::connections() const {
  absl::MutexLock lock(&mutex_);
  return connections_.size();
}

size_t ScriptedHttpServer::open_connections() const {
  absl::MutexLock lock(&mutex_);
  return open_;
}

bool ScriptedHttpServer::AwaitNoConnections() const {
  const auto none = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return open_ == 0; };
  absl::MutexLock lock(&mutex_);
  return mutex_.AwaitWithTimeout(absl::Condition(&none), kPatience);
}

bool ScriptedHttpServer::AwaitRequests(size_t count) const {
  const auto come = [this, count]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return requests_.size() >= count; };
  absl::MutexLock lock(&mutex_);
  return mutex_.AwaitWithTimeout(absl::Condition(&come), kPatience);
}

void ScriptedHttpServer::Listen() {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(listener_, SOMAXCONN), 0);
  EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
}

void ScriptedHttpServer::Accept() {
  for (int socket; (socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    absl::MutexLock lock(&mutex_);
    Connection& connection = *connections_.emplace_back(std::make_unique<Connection>(socket, connections_.size()));
    ++open_;
    if (stopping_) connection.Stop();
    connection.Start(std::thread([this, &connection] {
      Serve(connection);
      connection.Close();
      absl::MutexLock ended(&mutex_);
      --open_;
    }));
  }
}

void ScriptedHttpServer::Serve(Connection& connection) {
  IgnoreBrokenPipes();
  if (!connection.Shake(tls_.get())) return;
  while (const std::optional<SeenRequest> request = connection.Read()) {
    {
      absl::MutexLock lock(&mutex_);
      requests_.push_back(*request);
    }
    if (!Reply(connection, answer_(*request))) return;
  }
}

// False when the connection is to be closed.
bool ScriptedHttpServer::Reply(Connection& connection, const ScriptedReply& reply) {
  if (reply.never_answer) {
    connection.AwaitEnd();
    return false;
  }
  if (reply.hang_up) return false;
  if (!reply.raw.empty()) return connection.Write(reply.raw) && !reply.cut_off;
  if (!connection.Write(HeadOf(reply))) return false;
  if (reply.endless_bytes > 0) {
    const std::string block(std::min(reply.endless_bytes, kBlock), 'x');
    size_t left = reply.endless_bytes;
    while (left > 0 && connection.Write(std::string_view(block).substr(0, left))) left -= std::min(left, block.size());
    return false;
  }
  for (size_t i = 0; i < reply.chunks.size(); ++i) {
    if (reply.before_chunk != nullptr) reply.before_chunk(i);
    const std::string& chunk = reply.chunks[i];
    if (!connection.Write(absl::StrCat(absl::Hex(chunk.size()), "\r\n", chunk, "\r\n"))) return false;
  }
  if (reply.chunks.empty()) return connection.Write(reply.body) && !reply.cut_off;
  return !reply.cut_off && connection.Write("0\r\n\r\n");
}

}  // namespace toolgate::testing
