// Text as the detector wants to see it.
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

// Characters taken out on the way, which tell something by themselves. Offsets are of the first one seen.
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
  // White space folded: a run becomes one space, or "\n\n" when an empty line is in it. For ASCII.
  static void FoldBlanks(std::string_view text, TextView& out);

  // The compatibility decomposition (NFKD, of which NFKC is the composed form), case-folded, without Latin, Greek and
  // Cyrillic combining marks, invisible, bidirectional, tag and variation-selector characters; white space as above.
  // Ill-formed bytes become U+FFFD. What tag characters spell goes to `tag_text`, what runs of variation selectors
  // carry to `selector_text`.
  static void FoldUnicode(std::string_view text, TextView& out, HiddenText& hidden, TextView& tag_text,
                          TextView& selector_text);

  // FoldUnicode for a word of a rule.
  static std::string Fold(std::string_view text);

  // Letters that look like Latin ones become those, in words that mix scripts or consist of such letters only. `in` is
  // a result of FoldUnicode. False, with nothing in `out`, when there is no such word.
  static bool Skeleton(const TextView& in, TextView& out);

  // Digits and symbols inside of words become the letters that they look like; `one` is what "1" and "|" look like.
  static void Unleet(const TextView& in, char one, TextView& out);

  // Texts whose characters are all held apart by the same mark ("i g n o r e   a l l", "i-g-n-o-r-e a-l-l") closed up,
  // gaps between words kept. `raw` is not folded, since folding loses what tells those gaps. False, with nothing in
  // `out`, when there is no such place.
  static bool Rejoin(std::string_view raw, TextView& out);

  // Letters and digits only, so that stretched words close up whatever holds them apart.
  static void Unspace(const TextView& in, TextView& out);

  // Read from the end.
  static void Reverse(const TextView& in, TextView& out);

  // Each word read from its end.
  static void ReverseWords(const TextView& in, TextView& out);

  // Letters turned upside down turned back, and read from the end. `in` is what FoldUnicode made of `raw`, which tells
  // capitals, that stay as they are, from letters that are others when turned. False, with nothing in `out`, when
  // hardly any letter is turned.
  static bool Unturn(std::string_view raw, const TextView& in, TextView& out);

  // A mark that joins words when it stands alone between them: "ignore_all.rules".
  static bool IsJoint(char c);

  // Such marks become blanks.
  static void Unjoin(const TextView& in, TextView& out);

  // Control characters that delete are taken out, or do what they say to the character before them.
  static void Undelete(std::string_view raw, bool apply, TextView& out);

  // Without invisible, bidirectional and combining characters, and with the compatibility forms of Latin letters,
  // digits and marks as ASCII; case is kept, for what is encoded below. False, with nothing in `out`, when nothing
  // changes.
  static bool Strip(std::string_view raw, TextView& out);

  static void Rot13(const TextView& in, TextView& out);
};

// For the edges of words: Latin, Greek, Cyrillic, Arabic, Hebrew and Indic letters and digits are word characters;
// letters of scripts that are written without blanks are not. `text` is folded, and not empty.
bool StartsWithWordCharacter(std::string_view text);
bool EndsWithWordCharacter(std::string_view text);

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_NORMALISER_H_
