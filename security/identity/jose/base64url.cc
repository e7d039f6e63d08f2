#include "security/identity/jose/base64url.h"

#include "common/digest.h"

namespace toolgate::security::identity::jose {

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  std::optional<std::string> bytes = Base64UrlDecode(text);
  // The decoder is lenient; encoding the bytes again reveals deviations.
  if (!bytes.has_value() || Base64UrlEncode(*bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace toolgate::security::identity::jose
