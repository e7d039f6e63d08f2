// Debian's Abseil is built for C++14, where absl::string_view and absl::optional are types of their own. Signatures in
// this project use the std types; these cross over, and are no-ops where both are the same type.
#ifndef TOOLGATE_COMMON_ABSL_BRIDGE_H_
#define TOOLGATE_COMMON_ABSL_BRIDGE_H_

#include <optional>
#include <string_view>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace toolgate {

inline absl::string_view ToAbsl(std::string_view text) { return absl::string_view(text.data(), text.size()); }
inline std::string_view FromAbsl(absl::string_view text) { return std::string_view(text.data(), text.size()); }

template <typename T>
std::optional<T> FromAbslOptional(absl::optional<T> value) {
  if (!value.has_value()) return std::nullopt;
  return std::optional<T>(*std::move(value));
}

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_ABSL_BRIDGE_H_
