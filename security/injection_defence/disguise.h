// Disguises of a text, and the evidence that each of them provides.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DISGUISE_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DISGUISE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "security/injection_defence/text/normaliser.h"

namespace toolgate::security::injection_defence {

// A finding that rule files cannot express, because it is about how a text is written and not about its content.
struct Evidence {
  std::string_view rule_id;
  std::string_view family;
  double weight;  // 0 to 1, as a rule's.
};
inline constexpr Evidence kDisguised = {"hidden.disguised-words", "hidden_text", 0.4};
inline constexpr Evidence kEncoded = {"encoded.instruction", "encoded_payload", 0.5};

// Reasons not to read a text in every way: it is binary, and was read as it stands and where it has runs of text; or
// the texts that can be made of it take more work than its length allows. Policy decides what that means.
inline constexpr Evidence kBinary = {"unreadable.binary", "unreadable", 0.3};
inline constexpr Evidence kTooMuchWork = {"unreadable.work", "unreadable", 0.3};

// Difference between a reading and the text as it was given.
enum class Disguise : uint8_t {
  kNone,
  kLookAlikes,  // Letters of other scripts, or turned ones, replaced by the Latin ones that they resemble.
  kDecoded,     // Text that was encoded, deleted, hidden or held apart, undisguised.
  kJoined,      // Joined words, split. Honest texts join words as well: nothing is hidden, only spelt differently.
  kWords,       // Words spelt with other characters, or with blanks in them.
  kGlued,       // Words found in a row of letters.
  kEncoding,    // Letters in another order, or exchanged; any disguise within a decoded text.
};

// Consequences of a disguise.
struct DisguiseRow {
  Disguise disguise;
  Disguise within_decoded;   // The disguise of the same reading of a decoded text.
  const Evidence* evidence;  // Added to a rule that matches only in such a reading; null: none.
  double least_rule;         // Minimum weight of such a rule for that evidence.
  // True if nobody writes like this by chance, so that the words are judged like those of any text. The other ways of
  // reading can make anything out of a table: then a rule must match as well, or the reading be language while the text
  // is not.
  bool deliberate;
  double least_wording;  // Wording below this weight is ignored.
  double sure_wording;   // Wording below this weight must be language even if a rule matches.
};

inline constexpr std::array<DisguiseRow, 7> kDisguises = {{
    {Disguise::kNone, Disguise::kDecoded, nullptr, 0.4, true, 0.3, 0},
    {Disguise::kLookAlikes, Disguise::kLookAlikes, &kDisguised, 0.4, true, 0.45, 0},
    {Disguise::kDecoded, Disguise::kDecoded, &kEncoded, 0.4, true, 0.45, 0},
    {Disguise::kJoined, Disguise::kEncoding, nullptr, 0.6, false, 0.45, 0},
    {Disguise::kWords, Disguise::kEncoding, &kDisguised, 0.6, false, 0.45, 0},
    // Long words of another language may have been split.
    {Disguise::kGlued, Disguise::kEncoding, &kDisguised, 0.6, false, 0.45, 0.85},
    {Disguise::kEncoding, Disguise::kEncoding, &kEncoded, 0.6, false, 0.45, 0},
}};

constexpr const DisguiseRow& RowOf(Disguise disguise) { return kDisguises[static_cast<size_t>(disguise)]; }

// From this number on, characters that carry text are evidence, and are read as that text.
inline constexpr int kMinTags = 4;
inline constexpr int kMinSelectors = 4;

// Characters that hide something, whatever the text says: this many of them are evidence by themselves.
struct HiddenCharacters {
  Evidence evidence;
  int text::HiddenText::*count;
  uint32_t text::HiddenText::*offset;  // Of the first.
  int least;
};

inline constexpr std::array<HiddenCharacters, 5> kHiddenCharacters = {{
    {{"hidden.tag-characters", "hidden_text", 0.75}, &text::HiddenText::tags, &text::HiddenText::tag_offset, kMinTags},
    {{"hidden.variation-selectors", "hidden_text", 0.7},
     &text::HiddenText::variation_selectors,
     &text::HiddenText::selector_offset,
     kMinSelectors},
    {{"hidden.invisible-in-words", "hidden_text", 0.3},
     &text::HiddenText::invisible_in_words,
     &text::HiddenText::invisible_offset,
     2},
    {{"hidden.bidi-override", "hidden_text", 0.3},
     &text::HiddenText::bidi_overrides,
     &text::HiddenText::bidi_offset,
     1},
    {{"hidden.stacked-marks", "hidden_text", 0.2},
     &text::HiddenText::stacked_marks,
     &text::HiddenText::marks_offset,
     6},
}};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DISGUISE_H_
