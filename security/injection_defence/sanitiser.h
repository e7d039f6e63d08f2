// Removes characters that honest text arguments do not contain.
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
  kText,      // No control characters except tab and newline.
  kLine,      // One line: no control characters, trimmed, runs of blanks folded to one space.
};

inline constexpr size_t kDefaultMaxCharacters = 100'000;

struct Sanitised {
  std::optional<std::string> changed;  // The clean text, if it differs.
  std::optional<Violation> violation;  // The reason for a refusal; `path` is left empty.
};

// Never shortens: a text of more than `max_characters` (Unicode characters, after cleaning) is a violation. Linear; a
// clean text needs no allocation.
Sanitised Sanitise(std::string_view text, SanitiseMode mode, size_t max_characters = kDefaultMaxCharacters);

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_SANITISER_H_
