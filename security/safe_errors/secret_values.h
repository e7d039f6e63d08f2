// The value that follows the name of a secret and its sign. Private to this folder.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_VALUES_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_VALUES_H_

#include <cstddef>
#include <string_view>

#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {

// What of the value that begins at text[start] is to be masked: a word, what stands in quotes or brackets, or a whole
// header. `prose` tells that the sign was a colon, after which ordinary words follow as often as secrets. Looks at a
// bounded number of bytes beyond a hit and the end of the word.
MaskHit FindSecretValue(std::string_view text, size_t start, std::string_view name, bool prose);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_VALUES_H_
