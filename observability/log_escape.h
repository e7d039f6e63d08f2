// Escapes arbitrary bytes for log lines.
#ifndef TOOLGATE_OBSERVABILITY_LOG_ESCAPE_H_
#define TOOLGATE_OBSERVABILITY_LOG_ESCAPE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace toolgate::observability {

// Appends `text` as the content of a JSON string. Well-formed UTF-8 stays unchanged, except control characters, line
// and paragraph separators, and characters that change the direction of text, which become \uXXXX. Ill-formed bytes
// become U+FFFD. Text beyond `max_bytes` is cut between characters and replaced with "…".
void AppendEscaped(std::string_view text, size_t max_bytes, std::string& out);

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_LOG_ESCAPE_H_
