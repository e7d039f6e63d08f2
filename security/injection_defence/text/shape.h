// The rough shape of a text, which decides which readings of it are worth their cost.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_SHAPE_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_SHAPE_H_

#include <string_view>
#include <vector>

#include "security/injection_defence/text/words.h"

namespace toolgate::security::injection_defence::text {

struct Shape {
  bool ascii = true;
  bool plain_blanks = true;     // No white space except single spaces.
  bool spaced_letters = false;  // "i g n o r e", "i-g-n-o-r-e".
  bool leet = false;            // Words that mix letters with digits or symbols that look like letters.
  bool encoded_run = false;     // A run long enough to be base64 or hex, or pieces of one.
  bool escapes = false;         // URL, HTML, backslash and other escapes, or characters written as numbers.
  bool torn_words = false;      // "ig<b></b>nore".
  bool joined_words = false;    // "ignore_all_rules", more of them than blanks.
  bool long_run = false;        // Letters without a blank, longer than words.
  bool pieces = false;          // "ig no re al l", "ignor eallp revio".
  bool marked_run = false;      // Long, without a blank and full of marks, like base85; or only marks, like Morse.
  bool deletions = false;       // Backspaces and the like.
};

// One pass over `text`, whose words are `words`.
Shape ShapeOf(std::string_view text, const std::vector<Word>& words);

// True for a single word of at most 26 letters, digits, '-' or '_': too short to instruct anybody, so that ids cost
// next to nothing.
bool IsPlainToken(std::string_view text);

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_SHAPE_H_
