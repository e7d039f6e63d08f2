// Makes any bytes safe to stand in a log line.
#ifndef TOOLGATE_OBSERVABILITY_LOG_ESCAPE_H_
#define TOOLGATE_OBSERVABILITY_LOG_ESCAPE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace toolgate::observability {

// Appends `text` as the inside of a JSON string. Well-formed UTF-8 stays as it is, except control characters, line and
// paragraph separators, and the characters that turn the direction of text, which become \uXXXX. Ill-formed bytes
// become U+FFFD. What would make more than `max_bytes` is cut between characters, and "…" stands for it.
void AppendEscaped(std::string_view text, size_t max_bytes, std::string& out);

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_LOG_ESCAPE_H_
