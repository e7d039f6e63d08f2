// Hashes, message authentication and text forms of bytes, over OpenSSL.
#ifndef TOOLGATE_COMMON_DIGEST_H_
#define TOOLGATE_COMMON_DIGEST_H_

#include <optional>
#include <string>
#include <string_view>

namespace toolgate {

// 32 bytes (FIPS 180-4).
std::string Sha256(std::string_view bytes);
// 32 bytes (RFC 2104 with SHA-256).
std::string HmacSha256(std::string_view key, std::string_view bytes);
// Compares in time that depends on the lengths only.
bool ConstantTimeEqual(std::string_view a, std::string_view b);
// Lower case.
std::string HexEncode(std::string_view bytes);
// base64url without padding (RFC 4648 section 5).
std::string Base64UrlEncode(std::string_view bytes);
std::optional<std::string> Base64UrlDecode(std::string_view text);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_DIGEST_H_
