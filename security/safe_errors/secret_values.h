// The value that follows the name of a secret and its sign. Private to this folder.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_VALUES_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_VALUES_H_

#include <cstddef>
#include <string_view>

#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {

// The part to mask of the value that begins at text[start]: a word, the content of quotes or brackets, or a whole
// header. `prose`: the sign was a colon, after which ordinary words are as frequent as secrets. Examines a bounded
// number of bytes beyond a hit and the end of the word.
MaskHit FindSecretValue(std::string_view text, size_t start, std::string_view name, bool prose);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_VALUES_H_
