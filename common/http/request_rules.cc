#include "common/http/request_rules.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/http/special_addresses.h"
#include "common/status_macros.h"
#include "common/text/words.h"

namespace toolgate::http {
namespace {

constexpr size_t kMaxHeaderBytes = size_t{64} << 10;

// Made from the request and the connection alone.
constexpr std::string_view kFramingHeaders[] = {"connection", "content-length",    "expect", "host", "keep-alive", "te",
                                                "trailer",    "transfer-encoding", "upgrade"};
// Never secret.
constexpr std::string_view kDescribingHeaders[] = {"accept",       "accept-encoding", "accept-language",
                                                   "content-type", "range",           "user-agent"};
constexpr std::string_view kIdempotentMethods[] = {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"};

bool IsTokenCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsToken(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenCharacter); }

bool IsValueCharacter(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7f'); }

absl::Status CheckHeader(const Header& header) {
  if (!IsToken(header.name)) return absl::InvalidArgumentError("a header's name has characters that names cannot have");
  if (text::IsOneOfIgnoringCase(header.name, kFramingHeaders)) {
    return absl::InvalidArgumentError(absl::StrCat("header ", header.name, " is set by the client itself"));
  }
  if (!std::all_of(header.value.begin(), header.value.end(), IsValueCharacter)) {
    return absl::InvalidArgumentError(
        absl::StrCat("value of header ", header.name, " has a line break or control character"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HttpUrl> CheckRequest(const Request& request) {
  if (!IsToken(request.method)) return absl::InvalidArgumentError("the method has characters that methods cannot have");
  if (std::min({request.timeout, request.connect_timeout, request.idle_timeout}) <= absl::ZeroDuration()) {
    return absl::InvalidArgumentError("a request needs time limits above zero");
  }
  size_t bytes = 0;
  for (const Header& header : request.headers) {
    RETURN_IF_ERROR(CheckHeader(header));
    bytes += header.name.size() + header.value.size();
  }
  if (bytes > kMaxHeaderBytes) {
    return absl::InvalidArgumentError(absl::StrCat("headers are larger than ", kMaxHeaderBytes, " bytes"));
  }
  ASSIGN_OR_RETURN(HttpUrl url, HttpUrl::Parse(request.url));
  if (!request.private_addresses && IsSpecialLiteral(url.host)) {
    return absl::PermissionDeniedError(absl::StrCat(url.host, " is not a public address"));
  }
  return url;
}

void FollowRedirect(int status, const HttpUrl& from, const HttpUrl& to, Request& request) {
  const bool becomes_get = (status == 303 && request.method != "GET" && request.method != "HEAD") ||
                           ((status == 301 || status == 302) && request.method == "POST");
  const bool leaves = from.origin() != to.origin();
  if (becomes_get) {
    request.method = "GET";
    request.body.clear();
  }
  std::erase_if(request.headers, [&](const Header& header) {
    if (becomes_get && absl::StartsWithIgnoreCase(header.name, "content-")) return true;
    return leaves && !text::IsOneOfIgnoringCase(header.name, kDescribingHeaders);
  });
  if (leaves) request.signature.reset();
  request.url = to.text();
}

bool IsIdempotent(std::string_view method) { return text::IsOneOfIgnoringCase(method, kIdempotentMethods); }

}  // namespace toolgate::http
