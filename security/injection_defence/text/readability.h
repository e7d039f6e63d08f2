// Distinguishes text from binary data.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_READABILITY_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_READABILITY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::text {

// Bytes [start, end) of a text.
struct Stretch {
  uint32_t start;
  uint32_t end;
};

// Odd characters occur in binary data and hardly in text: ill-formed bytes and U+FFFD, which replaces them; control
// characters but white space and backspace; private, unassigned and other code points that are no characters. Their
// escapes in JSON ("\u0007") are odd as well. Invisible characters are not: those hide text, and the normaliser reads
// it.
struct Readability {
  size_t characters = 0;
  size_t odd = 0;
  // Runs of at least kFewestReadable other characters, in order. A single odd character does not end a run, so that
  // UTF-16 and letters held apart by a control character are runs; two do.
  std::vector<Stretch> runs;

  static constexpr size_t kFewestReadable = 16;
  // A text of few characters, or with fewer odd ones, is read as text: colours of a terminal, icons, a torn character.
  static constexpr size_t kFewestOdd = 64;
  static constexpr size_t kOddShare = 5;  // One of so many.

  bool is_binary() const { return odd >= kFewestOdd && odd * kOddShare > characters; }
};

// Linear.
Readability ReadabilityOf(std::string_view text);

// The runs, one a line.
void JoinRuns(std::string_view text, const std::vector<Stretch>& runs, TextView& out);

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_READABILITY_H_
