// JSON pointers (RFC 6901).
#ifndef TOOLGATE_COMMON_JSON_POINTER_H_
#define TOOLGATE_COMMON_JSON_POINTER_H_

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"

namespace toolgate {

// The pointer to member `token` of the value that `pointer` points to.
inline std::string JoinPointer(std::string_view pointer, std::string_view token) {
  return absl::StrCat(ToAbsl(pointer), "/", EscapePointerToken(token));
}

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_JSON_POINTER_H_
