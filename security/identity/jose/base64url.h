// The only text encoding of bytes in JOSE.
#ifndef TOOLGATE_SECURITY_IDENTITY_JOSE_BASE64URL_H_
#define TOOLGATE_SECURITY_IDENTITY_JOSE_BASE64URL_H_

#include <optional>
#include <string>
#include <string_view>

namespace toolgate::security::identity::jose {

// The bytes, if `text` is their exact encoding: no padding, no white space, no character of the other alphabet, no bits
// left over. So no two texts encode the same bytes.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace toolgate::security::identity::jose

#endif  // TOOLGATE_SECURITY_IDENTITY_JOSE_BASE64URL_H_
