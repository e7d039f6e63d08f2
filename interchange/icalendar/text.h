// The text of iCalendar files (RFC 5545): content lines, and the components that consist of them.
//
// A parser of our own and not libical's, because an import must not lose content silently: libical skips a line that it
// cannot read without saying which, gives no reason if it reads nothing, and treats an escaped comma within a category
// as a separator, which it cannot write either. It also has no limits: one line of 8 MiB takes 14 seconds, 8 MiB of
// short lines take 500 MB. tests/integration/interchange/icalendar/libical_test.cc shows this.
#ifndef TOOLGATE_INTERCHANGE_ICALENDAR_TEXT_H_
#define TOOLGATE_INTERCHANGE_ICALENDAR_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::interchange::icalendar {

// One property: NAME;PARAMETER=value:VALUE.
struct IcalProperty {
  std::string name;                                             // Upper case.
  std::vector<std::pair<std::string, std::string>> parameters;  // Names in upper case; values without their quotes.
  std::string value;                                            // Unchanged; UnescapeIcal reads texts.
  int64_t line = 0;                                             // In the file, from 1.

  // Empty if there is none.
  std::string_view Parameter(std::string_view parameter) const;
};

// The content between BEGIN:NAME and END:NAME.
struct IcalComponent {
  std::string name;  // Upper case.
  int64_t line = 0;
  std::vector<IcalProperty> properties;
  std::vector<IcalComponent> components;

  // The first of that name; nullptr if there is none.
  const IcalProperty* Find(std::string_view property) const;
};

inline constexpr size_t kMaxIcalBytes = size_t{64} << 20;

// Parses a whole file: its components, usually one VCALENDAR. Accepts folded lines, CRLF and LF, and a byte order mark.
// INVALID_ARGUMENT names the line and the problem.
absl::StatusOr<std::vector<IcalComponent>> ParseIcal(std::string_view text);

// A text value and back: "\n", "\,", "\;" and "\\".
std::string UnescapeIcal(std::string_view value);
std::string EscapeIcal(std::string_view text);
// The texts of a list, split at unescaped commas.
std::vector<std::string> UnescapeIcalList(std::string_view value);

// Appends one content line, folded at 75 bytes, never within a character, with CRLF.
void AppendIcalLine(std::string_view line, std::string& out);

}  // namespace toolgate::interchange::icalendar

#endif  // TOOLGATE_INTERCHANGE_ICALENDAR_TEXT_H_
