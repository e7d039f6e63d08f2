#include "common/http/curl_transfer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/digest.h"
#include "common/http/request_rules.h"
#include "common/http/signed_url.h"
#include "common/http/special_addresses.h"
#include "common/status_macros.h"

namespace toolgate::http {
namespace {

constexpr size_t kMaxHeadBytes = size_t{256} << 10;
constexpr char kUserAgent[] = "toolgate";

bool HasHeader(const Request& request, std::string_view name) {
  return std::any_of(request.headers.begin(), request.headers.end(),
                     [name](const Header& header) { return absl::EqualsIgnoreCase(header.name, ToAbsl(name)); });
}

// As libcurl takes it: at least one, and no more than an int holds.
long Milliseconds(absl::Duration duration) {
  return std::clamp<long>(absl::ToInt64Milliseconds(duration), 1, std::numeric_limits<int>::max());
}

// Codes that mean that the peer does not speak HTTP as it should.
bool IsProtocolFault(CURLcode code) {
  return code == CURLE_WEIRD_SERVER_REPLY || code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_BAD_CONTENT_ENCODING ||
         code == CURLE_WRITE_ERROR;
}

absl::Duration Now() { return Clock::Real().Monotonic(); }

}  // namespace

CurlTransfer::CurlTransfer(const CurlLibrary& curl, const ClientOptions& options, Request request, HttpUrl url,
                           absl::Duration now)
    : curl_(curl),
      options_(options),
      request_(std::move(request)),
      url_(std::move(url)),
      deadline_(now + request_.timeout),
      last_sign_(now) {}

CurlTransfer::~CurlTransfer() { TearDown(); }

void CurlTransfer::TearDown() {
  if (handle_ != nullptr) curl_.easy_cleanup(std::exchange(handle_, nullptr));
  curl_.slist_free_all(std::exchange(header_list_, nullptr));
}

CURL* CurlTransfer::SetUp() {
  begun_ = true;
  handle_ = curl_.easy_init();
  if (handle_ == nullptr) return nullptr;
  if (request_.signature.has_value()) url_ = CanonicalForSigning(std::move(url_));
  SetUpConnection();
  SetUpRequest();
  SetUpHeaders();
  SetUpCallbacks();
  return handle_;
}

void CurlTransfer::SetUpConnection() {
  const auto set = curl_.easy_setopt;
  set(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
  // Without both, the environment's proxy would be used.
  set(handle_, CURLOPT_PROXY, options_.proxy.c_str());
  set(handle_, CURLOPT_NOPROXY, "");
  set(handle_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(handle_, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(handle_, CURLOPT_FOLLOWLOCATION, 0L);
  set(handle_, CURLOPT_NOSIGNAL, 1L);
  // A cancelled transfer does not wait for its name to be resolved: a thread does that, and ends by itself.
  set(handle_, CURLOPT_QUICK_EXIT, 1L);
  set(handle_, CURLOPT_TCP_KEEPALIVE, 1L);
  set(handle_, CURLOPT_CONNECTTIMEOUT_MS, Milliseconds(request_.connect_timeout));
  set(handle_, CURLOPT_MAXAGE_CONN, static_cast<long>(absl::ToInt64Seconds(options_.max_idle)));
  set(handle_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(handle_, CURLOPT_HTTP_VERSION, static_cast<long>(url_.tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  // Requests wait until it is known whether a new connection can carry all of them.
  set(handle_, CURLOPT_PIPEWAIT, url_.tls ? 1L : 0L);
  if (!options_.certificate_file.empty()) {
    set(handle_, CURLOPT_SSLCERT, options_.certificate_file.c_str());
    set(handle_, CURLOPT_SSLKEY, options_.private_key_file.c_str());
  }
  if (options_.ca_file.empty()) return;
  set(handle_, CURLOPT_CAINFO, options_.ca_file.c_str());
  set(handle_, CURLOPT_CAPATH, nullptr);
  set(handle_, CURLOPT_PROXY_CAINFO, options_.ca_file.c_str());
  set(handle_, CURLOPT_PROXY_CAPATH, nullptr);
}

void CurlTransfer::SetUpRequest() {
  const auto set = curl_.easy_setopt;
  set(handle_, CURLOPT_URL, url_.text().c_str());
  set(handle_, CURLOPT_PATH_AS_IS, 1L);
  if (request_.method == "HEAD") {
    set(handle_, CURLOPT_NOBODY, 1L);
  } else {
    const bool has_body =
        !request_.body.empty() || request_.method == "POST" || request_.method == "PUT" || request_.method == "PATCH";
    if (has_body) {
      set(handle_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
      set(handle_, CURLOPT_POSTFIELDS, request_.body.c_str());
    }
    set(handle_, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  }
  if (!request_.signature.has_value()) return;
  const AwsSignature& signature = *request_.signature;
  set(handle_, CURLOPT_AWS_SIGV4, absl::StrCat("aws:amz:", signature.region, ":", signature.service).c_str());
  set(handle_, CURLOPT_USERNAME, signature.access_key.c_str());
  set(handle_, CURLOPT_PASSWORD, signature.secret_key.c_str());
}

void CurlTransfer::SetUpHeaders() {
  for (const Header& header : request_.headers) {
    // An empty value is written with a semicolon: with a colon it would take the header away.
    AddHeader(header.value.empty() ? absl::StrCat(header.name, ";") : absl::StrCat(header.name, ": ", header.value));
  }
  if (request_.signature.has_value()) {
    AddSignedHeaders();
  } else {
    // Waiting for the server's consent would cost a round trip.
    AddHeader("Expect:");
    if (!HasHeader(request_, "content-type")) AddHeader("Content-Type:");
  }
  curl_.easy_setopt(handle_, CURLOPT_HTTPHEADER, header_list_);
  curl_.easy_setopt(handle_, CURLOPT_USERAGENT, kUserAgent);
  // Not brotli or zstd: a few kilobytes of them may stand for gigabytes, which no bound on pieces of network data
  // holds.
  if (!HasHeader(request_, "accept-encoding")) curl_.easy_setopt(handle_, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
}

// libcurl signs every line of the list, also one that only takes a header away and is never sent: no server would find
// the signature right. So none is taken away. Of "Expect: 100-continue", which libcurl adds to long bodies, it does not
// wait for the answer.
void CurlTransfer::AddSignedHeaders() {
  curl_.easy_setopt(handle_, CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
  if (!request_.body.empty() && !HasHeader(request_, "content-type")) {
    AddHeader("content-type: application/octet-stream");
  }
  AddHeader(absl::StrCat("x-amz-content-sha256: ", HexEncode(Sha256(request_.body))));
}

void CurlTransfer::AddHeader(const std::string& line) {
  curl_slist* const longer = curl_.slist_append(header_list_, line.c_str());
  if (longer != nullptr) header_list_ = longer;
}

void CurlTransfer::SetUpCallbacks() {
  const auto set = curl_.easy_setopt;
  set(handle_, CURLOPT_ERRORBUFFER, error_text_.data());
  set(handle_, CURLOPT_HEADERFUNCTION, &OnHeader);
  set(handle_, CURLOPT_HEADERDATA, this);
  set(handle_, CURLOPT_WRITEFUNCTION, &OnBody);
  set(handle_, CURLOPT_WRITEDATA, this);
  set(handle_, CURLOPT_NOPROGRESS, 0L);
  set(handle_, CURLOPT_XFERINFOFUNCTION, &OnProgress);
  set(handle_, CURLOPT_XFERINFODATA, this);
  set(handle_, CURLOPT_PREREQFUNCTION, &OnConnected);
  set(handle_, CURLOPT_PREREQDATA, this);
  set(handle_, CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
  set(handle_, CURLOPT_OPENSOCKETDATA, this);
}

curl_socket_t CurlTransfer::OpenSocket(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (transfer.ChecksAddresses() && !IsPublicAddress(address->addr)) {
    transfer.refused_address_ = transfer.url_.host;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int CurlTransfer::OnConnected(void* self, char* address, char* /*local*/, int /*port*/, int /*local_port*/) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  // A pooled connection may be one that another request, to which more is allowed, has opened.
  if (transfer.ChecksAddresses() && !IsPublicAddressText(address)) {
    transfer.refused_address_ = transfer.url_.host;
    return CURL_PREREQFUNC_ABORT;
  }
  // libcurl sends a request again when a pooled connection ends without a byte of response. The server may have acted
  // on it nevertheless.
  if (std::exchange(transfer.connected_, true) && !IsIdempotent(transfer.request_.method)) {
    transfer.failure_ =
        transfer.Fail(absl::StatusCode::kUnavailable, "the connection was closed before a response came");
    return CURL_PREREQFUNC_ABORT;
  }
  transfer.channel_.set_sent();
  transfer.last_sign_ = Now();
  return CURL_PREREQFUNC_OK;
}

int CurlTransfer::OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t sent) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (std::exchange(transfer.sent_bytes_, sent) != sent) transfer.last_sign_ = Now();
  return 0;
}

size_t CurlTransfer::OnHeader(char* line, size_t size, size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  const size_t bytes = size * count;
  transfer.last_sign_ = Now();
  return transfer.TakeHeader({line, bytes}) ? bytes : 0;
}

bool CurlTransfer::TakeHeader(std::string_view line) {
  head_bytes_ += line.size();
  if (head_bytes_ > kMaxHeadBytes) {
    failure_ = Fail(absl::StatusCode::kDataLoss, absl::StrCat("headers of more than ", kMaxHeadBytes, " bytes"));
    return false;
  }
  if (head_complete_) return true;  // Trailers.
  const std::string_view text = FromAbsl(absl::StripAsciiWhitespace(ToAbsl(line)));
  if (text.empty()) {
    EndHead();
  } else if (absl::StartsWith(ToAbsl(text), "HTTP/")) {
    head_ = {};
    const size_t status = std::min(text.find(' ') + 1, text.size());
    static_cast<void>(absl::SimpleAtoi(ToAbsl(text.substr(status, 3)), &head_.status));
  } else if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    head_.headers.push_back({absl::AsciiStrToLower(ToAbsl(text.substr(0, colon))),
                             std::string(absl::StripAsciiWhitespace(ToAbsl(text.substr(colon + 1))))});
  }
  return true;
}

void CurlTransfer::EndHead() {
  constexpr int kFirstFinal = 200;
  if (head_.status < kFirstFinal) return;  // Interim.
  head_complete_ = true;
  if (!WillRedirect()) channel_.PutHead(head_);
}

bool CurlTransfer::WillRedirect() const {
  const int status = head_.status;
  const bool is_redirect = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  return is_redirect && redirects_ < request_.max_redirects && !head_.Find("location").empty();
}

size_t CurlTransfer::OnBody(char* bytes, size_t size, size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  const std::string_view piece(bytes, size * count);
  transfer.last_sign_ = Now();
  if (static_cast<int64_t>(piece.size()) > transfer.request_.max_body_bytes - transfer.body_bytes_) {
    transfer.failure_ = transfer.Fail(absl::StatusCode::kOutOfRange,
                                      absl::StrCat("body of more than ", transfer.request_.max_body_bytes, " bytes"));
    return 0;
  }
  if (!transfer.WillRedirect() && !transfer.channel_.Put(piece)) {
    transfer.paused_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  transfer.body_bytes_ += static_cast<int64_t>(piece.size());
  return piece.size();
}

void CurlTransfer::Resume(absl::Duration now) {
  if (!paused_) return;
  paused_ = false;
  last_sign_ = now;
  curl_.easy_pause(handle_, CURLPAUSE_CONT);
}

absl::Duration CurlTransfer::Due(absl::Duration now) const {
  // Silence counts only while the server is to answer; looking once each limit finds its beginning in time.
  const absl::Duration silence = connected_ && !paused_ ? last_sign_ : now;
  return std::min(deadline_, silence + request_.idle_timeout);
}

absl::Status CurlTransfer::Expiry(absl::Duration now) const {
  if (now >= deadline_) {
    return Fail(absl::StatusCode::kDeadlineExceeded,
                absl::StrCat("not done after ", absl::FormatDuration(request_.timeout)));
  }
  if (connected_ && !paused_ && now >= last_sign_ + request_.idle_timeout) {
    return Fail(absl::StatusCode::kDeadlineExceeded,
                absl::StrCat("silent for ", absl::FormatDuration(request_.idle_timeout)));
  }
  return absl::OkStatus();
}

absl::Status CurlTransfer::Outcome(CURLcode code) const {
  if (!failure_.ok()) return failure_;
  if (code == CURLE_OK) {
    return head_complete_ ? absl::OkStatus() : Fail(absl::StatusCode::kDataLoss, "no response that could be read");
  }
  if (!connected_ && !refused_address_.empty()) {
    return Fail(absl::StatusCode::kPermissionDenied, "its address is not a public one");
  }
  const std::string_view cause = error_text_.front() != '\0' ? error_text_.data() : curl_.easy_strerror(code);
  if (code == CURLE_OPERATION_TIMEDOUT) return Fail(absl::StatusCode::kDeadlineExceeded, cause);
  if (code == CURLE_URL_MALFORMAT) return Fail(absl::StatusCode::kInvalidArgument, cause);
  // One of libcurl's own bounds: on the line of a header, and on what it decompressed for a paused transfer.
  if (code == CURLE_OUT_OF_MEMORY && connected_) {
    return head_complete_ ? Fail(absl::StatusCode::kOutOfRange, "decompressed body that is too large")
                          : Fail(absl::StatusCode::kDataLoss, "a header that is too large");
  }
  return Fail(IsProtocolFault(code) ? absl::StatusCode::kDataLoss : absl::StatusCode::kUnavailable, cause);
}

absl::StatusOr<bool> CurlTransfer::Redirect() {
  if (!head_complete_ || !WillRedirect()) return false;
  char* location = nullptr;
  curl_.easy_getinfo(handle_, CURLINFO_REDIRECT_URL, &location);
  absl::StatusOr<HttpUrl> to = HttpUrl::Parse(location != nullptr ? location : "");
  if (!to.ok()) return Fail(absl::StatusCode::kDataLoss, absl::StrCat("redirect: ", to.status().message()));
  TearDown();
  FollowRedirect(head_.status, url_, *to, request_);
  ASSIGN_OR_RETURN(url_, CheckRequest(request_));
  ++redirects_;
  head_ = {};
  head_complete_ = false;
  connected_ = false;
  refused_address_.clear();
  body_bytes_ = 0;
  return true;
}

absl::Status CurlTransfer::Fail(absl::StatusCode code, std::string_view cause) const {
  return absl::Status(code, absl::StrCat(request_.method, " ", url_.origin(), ": ", ToAbsl(cause)));
}

}  // namespace toolgate::http
