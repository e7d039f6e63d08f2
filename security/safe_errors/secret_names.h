// Names whose value is a secret.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_NAMES_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_NAMES_H_

#include <string_view>

namespace toolgate::security::safe_errors {

// True for names of members, variables and headers whose value is a secret whatever it looks like: "password",
// "apiKey", "X-Auth-Token", "JWT_SECRET", "DB_PASS". Case and "-", "_", "." between words do not matter.
bool IsSecretName(std::string_view name);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_NAMES_H_
