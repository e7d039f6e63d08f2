// Caller on whose behalf a call runs, after authentication.
#ifndef TOOLGATE_COMMON_CALLER_H_
#define TOOLGATE_COMMON_CALLER_H_

#include <memory>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

namespace toolgate {

// A value; only security/identity makes one from what the wire and the connection say.
struct Caller {
  std::string workspace_id = {};
  std::string user_id = {};
  std::string user_name = {};
  bool is_guest = false;
  std::string conversation_id = {};
  std::string ai_model = {};
  std::string mode_hint = {};  // As it came; layer 1 validates it.
  std::string time_zone = {};  // IANA name; empty is UTC.
  std::string service = {};    // Kind of caller, for the audit log: "development", "token" or a service's name.
  std::vector<std::string> roles = {};
  std::vector<std::string> permissions = {};                  // Beyond those of the roles, as a token grants them.
  std::shared_ptr<const nlohmann::ordered_json> claims = {};  // Of the caller's token; null without one.
};

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_CALLER_H_
