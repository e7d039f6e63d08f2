#include "security/claims.h"

#include <string>

namespace toolgate::security {

const Json* FindClaim(const Json& claims, std::string_view name) {
  if (!claims.is_object()) return nullptr;
  if (!name.starts_with('/')) {
    const auto member = claims.find(std::string(name));
    return member == claims.end() ? nullptr : &*member;
  }
  try {
    const Json::json_pointer pointer{std::string(name)};
    return claims.contains(pointer) ? &claims.at(pointer) : nullptr;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

}  // namespace toolgate::security
