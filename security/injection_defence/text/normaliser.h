// Normalised forms of a text for the detector.
//
// Attackers write "ignоre" with a Cyrillic o, put invisible characters into words, stretch them or spell them with
// digits. Each function here makes one reading of a text; the detector looks for attacks in all of them. Stateless.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_NORMALISER_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_NORMALISER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::text {

// Characters removed by folding that are evidence by themselves. Offsets are of the first one seen.
struct HiddenText {
  int invisible_in_words = 0;  // Zero-width characters between Latin letters.
  int bidi_overrides = 0;
  int tags = 0;                 // Outside of flag emoji.
  int variation_selectors = 0;  // Beyond one after a character.
  int stacked_marks = 0;        // Combining marks beyond the second on one letter.
  uint32_t invisible_offset = 0;
  uint32_t bidi_offset = 0;
  uint32_t tag_offset = 0;
  uint32_t selector_offset = 0;
  uint32_t marks_offset = 0;
};

class Normaliser {
 public:
  // White space folded: a run becomes one space, or "\n\n" if it contains an empty line. For ASCII.
  static void FoldBlanks(std::string_view text, TextView& out);

  // The compatibility decomposition (NFKD, of which NFKC is the composed form), case-folded, without Latin, Greek and
  // Cyrillic combining marks, invisible, bidirectional, tag and variation-selector characters; white space as above.
  // Ill-formed bytes become U+FFFD. Text spelt in tag characters goes to `tag_text`, text carried by runs of variation
  // selectors to `selector_text`.
  static void FoldUnicode(std::string_view text, TextView& out, HiddenText& hidden, TextView& tag_text,
                          TextView& selector_text);

  // FoldUnicode for a word of a rule.
  static std::string Fold(std::string_view text);

  // Replaces letters that look like Latin ones in words that mix scripts or consist only of such letters. `in` is a
  // result of FoldUnicode. False, with empty `out`, if there is no such word.
  static bool Skeleton(const TextView& in, TextView& out);

  // Replaces digits and symbols inside of words by the letters that they look like; `one` is the letter for "1" and
  // "|".
  static void Unleet(const TextView& in, char one, TextView& out);

  // Closes up places where all characters are held apart by the same mark ("i g n o r e   a l l", "i-g-n-o-r-e a-l-l"),
  // and keeps gaps between words. `raw` is not folded, because folding loses the difference between those gaps. False,
  // with empty `out`, if there is no such place.
  static bool Rejoin(std::string_view raw, TextView& out);

  // Keeps only letters and digits, so that stretched words close up whatever holds them apart.
  static void Unspace(const TextView& in, TextView& out);

  // The text backwards.
  static void Reverse(const TextView& in, TextView& out);

  // Each word backwards.
  static void ReverseWords(const TextView& in, TextView& out);

  // Turns upside-down letters back, and reverses the text. `in` is the result of FoldUnicode for `raw`, which
  // distinguishes capitals, which stay unchanged, from letters that become others when turned. False, with empty `out`,
  // if hardly any letter is turned.
  static bool Unturn(std::string_view raw, const TextView& in, TextView& out);

  // A mark that joins words if it is alone between them: "ignore_all.rules".
  static bool IsJoint(char c);

  // Replaces such marks by blanks.
  static void Unjoin(const TextView& in, TextView& out);

  // Removes control characters that delete, or applies them to the character before.
  static void Undelete(std::string_view raw, bool apply, TextView& out);

  // Removes invisible, bidirectional and combining characters, and writes the compatibility forms of Latin letters,
  // digits and marks as ASCII; case is kept, for encoded text below. False, with empty `out`, if nothing changes.
  static bool Strip(std::string_view raw, TextView& out);

  static void Rot13(const TextView& in, TextView& out);
};

// For the edges of words: letters and digits in Latin, Greek, Cyrillic, Arabic, Hebrew and Indic scripts are word
// characters; letters of scripts without blanks are not. `text` is folded, and not empty.
bool StartsWithWordCharacter(std::string_view text);
bool EndsWithWordCharacter(std::string_view text);

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_NORMALISER_H_
