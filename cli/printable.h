// Makes foreign text safe to show, so that a terminal never obeys control sequences in stored data.
#ifndef TOOLGATE_CLI_PRINTABLE_H_
#define TOOLGATE_CLI_PRINTABLE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "common/json.h"

namespace toolgate::cli {

// Escapes `text` for one line: control characters (C0, DEL, C1), line and paragraph separators, bidirectional controls
// and invisible format characters become `\n`, `\t` or `\u{1b}`; ill-formed UTF-8 becomes U+FFFD.
std::string PrintableLine(std::string_view text);

// As PrintableLine, but keeps line feeds and tabs.
std::string PrintableText(std::string_view text);

// Writes JSON with every character that is not visible as \uXXXX (common/text/visible_text.h): the same value, safe to
// show. `indent` < 0 is the compact form.
std::string PrintableJson(const Json& value, int indent = -1);

// "1 block", "2 blocks".
std::string Counted(int64_t count, std::string_view noun);

// Number of columns of `text` on a terminal; `text` must be printable.
int DisplayWidth(std::string_view text);

// Cuts `text` to at most `columns` columns; cut text ends with "…".
std::string CutToWidth(std::string_view text, int columns);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_PRINTABLE_H_
