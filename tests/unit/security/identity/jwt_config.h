// Initial configuration of the identity tests.
#ifndef TOOLGATE_TESTS_UNIT_SECURITY_IDENTITY_JWT_CONFIG_H_
#define TOOLGATE_TESTS_UNIT_SECURITY_IDENTITY_JWT_CONFIG_H_

#include "toolgate/config/v1/config.pb.h"

namespace toolgate::testing {

// Token settings with the configuration's defaults, except for fetches a second apart; no issuer yet.
inline config::v1::Jwt JwtWithoutIssuer() {
  config::v1::Jwt jwt;
  jwt.add_types("JWT");
  jwt.mutable_clock_skew()->set_seconds(30);
  jwt.mutable_refresh_interval()->set_seconds(300);
  jwt.mutable_refetch_interval()->set_seconds(1);
  jwt.mutable_max_key_age()->set_seconds(3600);
  jwt.mutable_fetch_timeout()->set_seconds(10);
  jwt.mutable_claims()->set_workspace("workspace");
  jwt.mutable_claims()->set_user("sub");
  return jwt;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_UNIT_SECURITY_IDENTITY_JWT_CONFIG_H_
