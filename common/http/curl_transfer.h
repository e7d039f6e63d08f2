// One exchange as libcurl runs it.
#ifndef TOOLGATE_COMMON_HTTP_CURL_TRANSFER_H_
#define TOOLGATE_COMMON_HTTP_CURL_TRANSFER_H_

#include <curl/curl.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/http/client.h"
#include "common/http/curl_library.h"
#include "common/http/http_url.h"
#include "common/http/response_channel.h"

namespace toolgate::http {

// Sets up an easy handle for a request, and passes what libcurl tells of it to a channel. All of it belongs to the
// loop's thread, but for the channel, which the reader shares, and the construction. Times are readings of
// Clock::Monotonic.
class CurlTransfer {
 public:
  // `options` outlives the transfer. `url` is the request's, parsed.
  CurlTransfer(const CurlLibrary& curl, const ClientOptions& options, Request request, HttpUrl url, absl::Duration now);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  ResponseChannel& channel() { return channel_; }

  // Makes a new handle for the request. Null when there is no memory.
  CURL* SetUp();
  // Frees the handle, which no multi handle has any more.
  void TearDown();
  // Null before SetUp and after TearDown.
  CURL* handle() const { return handle_; }
  bool begun() const { return begun_; }

  // Has a paused transfer go on. The handle is in a multi handle.
  void Resume(absl::Duration now);

  // The time at which Expiry is to be asked.
  absl::Duration Due(absl::Duration now) const;
  // DEADLINE_EXCEEDED when one of the time limits has passed.
  absl::Status Expiry(absl::Duration now) const;

  // Outcome of the transfer, which libcurl ended with `code`.
  absl::Status Outcome(CURLcode code) const;
  // Whether the transfer ended with a redirect that is to be followed. Then the handle was freed and the request
  // changed into the next one; an error says why that is not possible.
  absl::StatusOr<bool> Redirect();

 private:
  static size_t OnHeader(char* line, size_t size, size_t count, void* self);
  static size_t OnBody(char* bytes, size_t size, size_t count, void* self);
  static int OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t sent);
  static int OnConnected(void* self, char* address, char* local, int port, int local_port);
  static curl_socket_t OpenSocket(void* self, curlsocktype purpose, curl_sockaddr* address);

  bool TakeHeader(std::string_view line);
  void EndHead();
  void AddSignedHeaders();
  void AddHeader(const std::string& line);
  void SetUpConnection();
  void SetUpRequest();
  void SetUpHeaders();
  void SetUpCallbacks();
  absl::Status Fail(absl::StatusCode code, std::string_view cause) const;
  bool ChecksAddresses() const { return !request_.private_addresses && options_.proxy.empty(); }
  bool WillRedirect() const;

  const CurlLibrary& curl_;
  const ClientOptions& options_;
  Request request_;
  HttpUrl url_;
  const absl::Duration deadline_;
  ResponseChannel channel_;

  bool begun_ = false;
  CURL* handle_ = nullptr;
  curl_slist* header_list_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  absl::Status failure_;         // Of a callback, which had libcurl stop.
  std::string refused_address_;  // The latest that was not allowed to be connected to.

  ResponseHead head_;
  bool head_complete_ = false;
  size_t head_bytes_ = 0;  // Of all heads, interim ones included.
  int64_t body_bytes_ = 0;
  curl_off_t sent_bytes_ = 0;
  bool connected_ = false;  // The present request has a connection.
  bool paused_ = false;
  absl::Duration last_sign_;  // Of life: when bytes came or went.
  int redirects_ = 0;
};

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_CURL_TRANSFER_H_
