// All disguises that layer 1 promises to recognise, as functions. Deterministic and stateless.
#ifndef TOOLGATE_TESTS_SUPPORT_OBFUSCATION_H_
#define TOOLGATE_TESTS_SUPPORT_OBFUSCATION_H_

#include <string>
#include <string_view>
#include <vector>

namespace toolgate::security::injection_defence {

struct Obfuscation {
  const char* name;
  // An encoding: the requirements for those are lower than for letter tricks.
  bool encoding;
  std::string (*apply)(std::string_view ascii);
};

// Applied to printable ASCII texts.
const std::vector<Obfuscation>& Obfuscations();

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_TESTS_SUPPORT_OBFUSCATION_H_
