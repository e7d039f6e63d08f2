// Cleans a text argument of what no honest text holds.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_SANITISER_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_SANITISER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/tool_error.h"

namespace toolgate::security::injection_defence {

enum class SanitiseMode {
  kVerbatim,  // Only well-formed UTF-8 without NUL: for code, SQL and the contents of files.
  kText,      // No control characters but tab and newline.
  kLine,      // One line: no control characters, trimmed, runs of blanks folded to one space.
};

inline constexpr size_t kDefaultMaxCharacters = 100'000;

struct Sanitised {
  std::optional<std::string> changed;  // The clean text, when it differs.
  std::optional<Violation> violation;  // Or why there is none; `path` is left empty.
};

// Nothing is cut: a text beyond `max_characters` (Unicode characters, after cleaning) is a violation. Linear; a text
// that is clean already costs no allocation.
Sanitised Sanitise(std::string_view text, SanitiseMode mode, size_t max_characters = kDefaultMaxCharacters);

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_SANITISER_H_
