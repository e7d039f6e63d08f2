#include "common/http/client.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "common/http/curl_library.h"
#include "common/http/curl_loop.h"
#include "common/http/curl_transfer.h"
#include "common/http/http_url.h"
#include "common/http/request_rules.h"
#include "common/status_macros.h"

namespace toolgate::http {
namespace {

class CurlExchange final : public Exchange {
 public:
  CurlExchange(CurlLoop& loop, std::shared_ptr<CurlTransfer> transfer) : loop_(loop), transfer_(std::move(transfer)) {
    loop_.Attend(transfer_);
  }
  ~CurlExchange() override {
    if (channel().ended()) return;
    channel().Abandon();
    loop_.Attend(std::move(transfer_));
  }

  absl::StatusOr<ResponseHead> Head(fibers::Wait wait) override { return channel().Head(wait); }
  absl::StatusOr<std::string> Next(fibers::Wait wait) override {
    absl::StatusOr<std::string> piece = channel().Next(wait);
    if (channel().TakeStalled()) loop_.Attend(transfer_);
    return piece;
  }
  bool may_have_been_sent() const override { return transfer_->channel().sent(); }

 private:
  ResponseChannel& channel() { return transfer_->channel(); }

  CurlLoop& loop_;
  std::shared_ptr<CurlTransfer> transfer_;
};

// Of a request that cannot be sent.
class RefusedExchange final : public Exchange {
 public:
  explicit RefusedExchange(absl::Status status) : status_(std::move(status)) {}

  absl::StatusOr<ResponseHead> Head(fibers::Wait /*wait*/) override { return status_; }
  absl::StatusOr<std::string> Next(fibers::Wait /*wait*/) override { return status_; }
  bool may_have_been_sent() const override { return false; }

 private:
  const absl::Status status_;
};

class CurlClient final : public Client {
 public:
  CurlClient(const CurlLibrary& curl, ClientOptions options)
      : curl_(curl), options_(std::move(options)), loop_(curl_, options_) {}

  std::unique_ptr<Exchange> Start(Request request) override {
    absl::StatusOr<HttpUrl> url = CheckRequest(request);
    if (!url.ok()) return std::make_unique<RefusedExchange>(std::move(url).status());
    return std::make_unique<CurlExchange>(
        loop_, std::make_shared<CurlTransfer>(curl_, options_, std::move(request), *std::move(url),
                                              Clock::Real().Monotonic()));
  }

 private:
  const CurlLibrary& curl_;
  const ClientOptions options_;
  CurlLoop loop_;
};

absl::Status CheckProxy(const std::string& proxy) {
  if (proxy.empty()) return absl::OkStatus();
  for (const char* const scheme : {"http://", "https://", "socks5://", "socks5h://"}) {
    if (absl::StartsWithIgnoreCase(proxy, scheme)) return absl::OkStatus();
  }
  return absl::InvalidArgumentError("proxy must be a URL that begins with http://, https://, socks5:// or socks5h://");
}

absl::Status CheckOptions(const ClientOptions& options) {
  RETURN_IF_ERROR(CheckProxy(options.proxy));
  if (!options.ca_file.empty() && access(options.ca_file.c_str(), R_OK) != 0) {
    return absl::InvalidArgumentError(absl::StrCat("ca_file ", options.ca_file, " cannot be read"));
  }
  if (options.max_connections < 1 || options.max_connections_per_host < 1) {
    return absl::InvalidArgumentError("at least one connection must be allowed");
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view ResponseHead::Find(std::string_view name) const {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [name](const Header& header) { return header.name == name; });
  return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

absl::StatusOr<Response> ReadAll(Exchange& exchange, fibers::Wait wait) {
  Response response;
  ASSIGN_OR_RETURN(response.head, exchange.Head(wait));
  while (true) {
    ASSIGN_OR_RETURN(const std::string piece, exchange.Next(wait));
    if (piece.empty()) return response;
    response.body += piece;
  }
}

absl::StatusOr<std::unique_ptr<Client>> Client::Create(const ClientOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(const CurlLibrary* const curl, CurlLibrary::Load());
  return std::make_unique<CurlClient>(*curl, options);
}

}  // namespace toolgate::http
