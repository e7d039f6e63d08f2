// Values in a caller's token.
#ifndef TOOLGATE_SECURITY_CLAIMS_H_
#define TOOLGATE_SECURITY_CLAIMS_H_

#include <string_view>

#include "common/json.h"

namespace toolgate::security {

// The value at `name` in `claims`: a member, or, if `name` begins with "/", the target of that JSON pointer. Null if
// there is none, or if a pointer is malformed.
const Json* FindClaim(const Json& claims, std::string_view name);

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_CLAIMS_H_
