// Every way of hiding a text that layer 1 promises to see through, as functions. Deterministic and stateless.
#ifndef TOOLGATE_TESTS_UNIT_SECURITY_INJECTION_DEFENCE_OBFUSCATION_H_
#define TOOLGATE_TESTS_UNIT_SECURITY_INJECTION_DEFENCE_OBFUSCATION_H_

#include <string>
#include <string_view>
#include <vector>

namespace toolgate::security::injection_defence {

struct Obfuscation {
  const char* name;
  // An encoding: less is asked of those than of tricks with letters.
  bool encoding;
  std::string (*apply)(std::string_view ascii);
};

// Applied to printable ASCII texts.
const std::vector<Obfuscation>& Obfuscations();

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_TESTS_UNIT_SECURITY_INJECTION_DEFENCE_OBFUSCATION_H_
