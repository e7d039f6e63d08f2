// Maps a token's claims to the caller that they identify.
#ifndef TOOLGATE_SECURITY_IDENTITY_CLAIMS_MAPPER_H_
#define TOOLGATE_SECURITY_IDENTITY_CLAIMS_MAPPER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/caller.h"
#include "common/json.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::identity {

// Immutable, hence thread-safe.
class ClaimsMapper {
 public:
  explicit ClaimsMapper(const config::v1::Jwt& config);

  // The caller with workspace, user, name, roles, permissions and the claims themselves. UNAUTHORIZED (ToolError),
  // naming the claim, if the workspace or the user is missing or not an id, or a claim has the wrong type.
  absl::StatusOr<Caller> Map(const Json& claims) const;

 private:
  const config::v1::Claims names_;
  const std::vector<std::string> roles_;  // Of every valid token.
};

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_CLAIMS_MAPPER_H_
