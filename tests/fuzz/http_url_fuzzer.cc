// A URL that is taken apart is written and read as the same, holds nothing that could end a request line, and its form
// for signing is final.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/http/http_url.h"
#include "common/http/signed_url.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using toolgate::http::HttpUrl;
  const auto url = HttpUrl::Parse({reinterpret_cast<const char*>(data), size});
  if (!url.ok()) return 0;
  const std::string text = url->text();
  if (text.find_first_of(" \r\n\t@#") < text.find('/', 8) || url->host.empty() || url->port == 0) std::abort();
  const auto again = HttpUrl::Parse(text);
  if (!again.ok() || again->text() != text) std::abort();
  const HttpUrl canonical = toolgate::http::CanonicalForSigning(*url);
  if (toolgate::http::CanonicalForSigning(canonical).text() != canonical.text()) std::abort();
  return 0;
}
