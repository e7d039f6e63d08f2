// Names whose value is a secret.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_NAMES_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_NAMES_H_

#include <string_view>

namespace toolgate::security::safe_errors {

// True for names of members, variables and headers whose value is a secret whatever it looks like: "password",
// "apiKey", "X-Auth-Token", "JWT_SECRET", "DB_PASS". Case, "-", "_" and "." between words, and a number at the end do
// not matter; of a long name the end is looked at.
bool IsSecretName(std::string_view name);

// Of these, the names whose value goes to the end of its line: "Authorization", "Cookie".
bool IsNameOfALine(std::string_view name);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_SECRET_NAMES_H_
