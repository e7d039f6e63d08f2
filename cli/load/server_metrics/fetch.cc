#include "cli/load/server_metrics/fetch.h"

#include <cstddef>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/http/curl_library.h"
#include "common/status_macros.h"

namespace toolgate::cli::load::server_metrics {
namespace {

constexpr size_t kMaxBytes = size_t{16} << 20;
constexpr long kGood = 200;

size_t Append(char* data, size_t size, size_t count, void* body) {
  auto& text = *static_cast<std::string*>(body);
  if (text.size() + size * count > kMaxBytes) return 0;  // Ends the transfer.
  text.append(data, size * count);
  return size * count;
}

}  // namespace

absl::StatusOr<std::string> MetricsUrl(const std::string& text) {
  const size_t scheme = text.find("://");
  std::string url = scheme == std::string::npos ? absl::StrCat("http://", text) : text;
  if (!absl::StartsWith(url, "http://") && !absl::StartsWith(url, "https://")) {
    return absl::InvalidArgumentError(absl::StrCat("--metrics ", text, ": must be host:port or an http or https URL"));
  }
  const size_t host = url.find("://") + 3;
  const size_t path = url.find('/', host);
  const std::string authority = url.substr(host, path == std::string::npos ? path : path - host);
  if (authority.empty() || authority.find_first_of("@ ") != std::string::npos) {
    return absl::InvalidArgumentError("--metrics: needs a host, and takes no user name or password");
  }
  if (path == std::string::npos) url += "/metrics";
  return url;
}

absl::StatusOr<std::string> Fetch(const std::string& url, absl::Duration timeout) {
  ASSIGN_OR_RETURN(const http::CurlLibrary* const library, http::CurlLibrary::Load());
  const std::unique_ptr<CURL, decltype(library->easy_cleanup)> curl(library->easy_init(), library->easy_cleanup);
  if (curl == nullptr) return absl::UnavailableError("no memory for an HTTP request");
  std::string body;
  library->easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  library->easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  library->easy_setopt(curl.get(), CURLOPT_PROXY, "");
  library->easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 0L);
  library->easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  library->easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(absl::ToInt64Milliseconds(timeout)));
  library->easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &Append);
  library->easy_setopt(curl.get(), CURLOPT_WRITEDATA, &body);
  const CURLcode code = library->easy_perform(curl.get());
  if (code != CURLE_OK) {
    return absl::UnavailableError(
        absl::StrCat("cannot fetch ", url, ": ",
                     code == CURLE_WRITE_ERROR ? "the answer is larger than 16 MiB" : library->easy_strerror(code)));
  }
  long answer = 0;
  library->easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &answer);
  if (answer == kGood) return body;
  return absl::UnavailableError(absl::StrCat(url, " answered ", answer, " instead of 200"));
}

}  // namespace toolgate::cli::load::server_metrics
