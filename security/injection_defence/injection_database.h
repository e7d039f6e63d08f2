// The rules' literals as the build compiled them.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_INJECTION_DATABASE_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_INJECTION_DATABASE_H_

#include <string_view>

namespace toolgate::security::injection_defence {

// For Matcher::Create. Made by rule_compiler from the files in rules/.
std::string_view InjectionDatabase();

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_INJECTION_DATABASE_H_
