// HTTP client for calls to other services.
#ifndef TOOLGATE_COMMON_HTTP_CLIENT_H_
#define TOOLGATE_COMMON_HTTP_CLIENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fibers/wait.h"

namespace toolgate::http {

struct Header {
  std::string name;
  std::string value;
};

// Credentials for AWS Signature Version 4, which S3-compatible stores use.
struct AwsSignature {
  std::string access_key;
  std::string secret_key;
  std::string region;
  std::string service = "s3";
};

struct Request {
  std::string method = "GET";
  std::string url = {};              // Absolute, http or https, without user or password.
  std::vector<Header> headers = {};  // Values may be secret: nothing logs them, or quotes them in an error.
  std::string body = {};
  std::optional<AwsSignature> signature = std::nullopt;

  absl::Duration timeout = absl::Seconds(60);         // For the whole exchange.
  absl::Duration connect_timeout = absl::Seconds(5);  // Until the connection stands, TLS included.
  absl::Duration idle_timeout = absl::Seconds(60);    // The longest silence of the server.
  int64_t max_body_bytes = int64_t{4} << 20;          // Of the response, after decompression.
  // Redirects that are followed; each address on the way is checked as the first one is.
  int max_redirects = 0;
  // Loopback, link-local, private and otherwise special addresses (RFC 6890). The address that is connected to counts,
  // whatever the name says. Set for addresses that an operator has configured, never for one that a model chose.
  bool private_addresses = false;
};

struct ResponseHead {
  int status = 0;
  std::vector<Header> headers = {};  // Names in lower case, in order.
  // First value of that name, in lower case; empty if there is none.
  std::string_view Find(std::string_view name) const;
};

struct Response {
  ResponseHead head;
  std::string body;
};

// One request and its response. Destroying it before its end cancels it at once. Used by one thread at a time.
//
// Errors: UNAVAILABLE, no connection, or it broke; DEADLINE_EXCEEDED, one of the request's time limits; OUT_OF_RANGE,
// the body exceeds its limit; PERMISSION_DENIED, an address that is not allowed; DATA_LOSS, no HTTP; INVALID_ARGUMENT,
// the request itself; and those of `wait`, unchanged. Messages are for the operator.
class Exchange {
 public:
  virtual ~Exchange() = default;

  // Waits until status and headers have come. A status of 400 or more is no error.
  virtual absl::StatusOr<ResponseHead> Head(fibers::Wait wait) = 0;
  // The next piece of the body, as it comes; empty at its end. The server is held back while nobody asks.
  virtual absl::StatusOr<std::string> Next(fibers::Wait wait) = 0;

  // Whether the request, or part of it, may have reached the server. False only when that is certain.
  virtual bool may_have_been_sent() const = 0;
};

// The whole response.
absl::StatusOr<Response> ReadAll(Exchange& exchange, fibers::Wait wait);

struct ClientOptions {
  std::string proxy = {};    // URL. Empty: none, whatever the environment says.
  std::string ca_file = {};  // PEM. Empty: the system's.
  // PEM, of the certificate that this client shows, and its key. Both empty: none.
  std::string certificate_file = {};
  std::string private_key_file = {};
  // To all hosts together: enough that a slow host leaves places for others.
  int max_connections = 4096;
  // As many as effects of one provider, so that no one waits here for the calls of another. HTTP/2 connections carry
  // many requests each.
  int max_connections_per_host = 1024;
  absl::Duration max_idle = absl::Seconds(90);  // Of a connection that is kept for reuse.
};

// Connections are pooled and shared by all requests; HTTP/2 where the server speaks it. One thread, started with the
// first request, moves the bytes of all; requests beyond max_connections wait for a place, within their time limits.
// Thread-safe. Outlives its exchanges.
class Client {
 public:
  virtual ~Client() = default;

  // UNAVAILABLE when libcurl cannot be loaded, INVALID_ARGUMENT for options that cannot be.
  static absl::StatusOr<std::unique_ptr<Client>> Create(const ClientOptions& options);

  // Never waits. Whatever is wrong is told by the exchange.
  virtual std::unique_ptr<Exchange> Start(Request request) = 0;
};

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_CLIENT_H_
