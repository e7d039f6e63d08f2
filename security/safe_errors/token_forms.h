// Tokens with a provider's prefix, and private keys that are one word. Private to this folder.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_TOKEN_FORMS_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_TOKEN_FORMS_H_

#include <cstddef>
#include <string_view>

#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {

// The token that begins at text[start], where the caller has checked that no word continues; no hit if there is none.
// Examines a bounded number of bytes beyond a hit.
MaskHit FindToken(std::string_view text, size_t start);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_TOKEN_FORMS_H_
