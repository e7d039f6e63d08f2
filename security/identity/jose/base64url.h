// The only text form of bytes that JOSE knows.
#ifndef TOOLGATE_SECURITY_IDENTITY_JOSE_BASE64URL_H_
#define TOOLGATE_SECURITY_IDENTITY_JOSE_BASE64URL_H_

#include <optional>
#include <string>
#include <string_view>

namespace toolgate::security::identity::jose {

// The bytes, when `text` is exactly how they are written: no padding, no white space, no character of the other
// alphabet, no bits left over. So no two texts stand for the same bytes.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace toolgate::security::identity::jose

#endif  // TOOLGATE_SECURITY_IDENTITY_JOSE_BASE64URL_H_
