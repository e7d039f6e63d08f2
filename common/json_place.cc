#include "common/json_place.h"

#include "absl/strings/str_cat.h"
#include "common/json.h"

namespace toolgate {

std::string JsonPointer(const JsonPlace* place, absl::FunctionRef<std::string(std::string_view)> shown) {
  if (place == nullptr) return "";
  const std::string token = place->in_array ? absl::StrCat(place->index) : EscapePointerToken(shown(place->key));
  return absl::StrCat(JsonPointer(place->parent, shown), "/", token);
}

std::string JsonPointer(const JsonPlace* place) {
  return JsonPointer(place, [](std::string_view key) { return std::string(key); });
}

}  // namespace toolgate
