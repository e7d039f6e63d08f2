// The readings of a text: every way in which an instruction can hide in it, as one table.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_READINGS_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_READINGS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "security/injection_defence/disguise.h"
#include "security/injection_defence/rules/rule_evaluator.h"
#include "security/injection_defence/text/disguise_spans.h"
#include "security/injection_defence/text/normaliser.h"
#include "security/injection_defence/text/shape.h"
#include "security/injection_defence/text/text_view.h"
#include "security/injection_defence/text/words.h"

namespace toolgate::security::injection_defence {

// Properties of a text that make a reading worth its cost, as bits.
namespace trigger {
inline constexpr uint32_t kPlainAscii = 1U << 0;   // ASCII with only single spaces as white space.
inline constexpr uint32_t kAsciiBlanks = 1U << 1;  // ASCII with other white space.
inline constexpr uint32_t kUnicode = 1U << 2;
inline constexpr uint32_t kTagCharacters = 1U << 3;
inline constexpr uint32_t kVariationSelectors = 1U << 4;
inline constexpr uint32_t kOtherLetters = 1U << 5;  // Not ASCII even when folded, as text with accents alone is.
inline constexpr uint32_t kMayDecode = 1U << 6;     // Decoded fewer times than the options allow.
inline constexpr uint32_t kLeet = 1U << 7;
inline constexpr uint32_t kLeetOnes = 1U << 8;  // Leet with a "1" or "|", which may be an "i" or an "l".
inline constexpr uint32_t kRespeltReversed = 1U << 9;
inline constexpr uint32_t kRespeltRot13 = 1U << 10;
inline constexpr uint32_t kJoinedWords = 1U << 11;
inline constexpr uint32_t kSpacedLetters = 1U << 12;
inline constexpr uint32_t kPieces = 1U << 13;
inline constexpr uint32_t kLongRun = 1U << 14;    // A long run of letters, and no camel case anywhere.
inline constexpr uint32_t kCamelRun = 1U << 15;   // A long run of letters, and camel case somewhere.
inline constexpr uint32_t kReversed = 1U << 16;   // A word that hints at text read backwards.
inline constexpr uint32_t kRot13 = 1U << 17;      // A word that hints at rot13.
inline constexpr uint32_t kDeletions = 1U << 18;  // Control characters that delete.
inline constexpr uint32_t kTornWords = 1U << 19;  // Words that HTML tags tear apart.
inline constexpr uint32_t kEncoded = 1U << 20;    // Runs or escapes that may be an encoding.
}  // namespace trigger

struct Reading;

// A text that is read in all ways, with cached facts for later readings. Borrows; used by one thread.
class SourceText {
 public:
  // `may_decode`: it was decoded fewer times than the options allow. `in_torn_words`: it is itself a text whose torn
  // words were joined. `words` is replaced by those of `raw`; `budget` limits the bytes of all decoded readings.
  SourceText(std::string_view raw, bool may_decode, bool in_torn_words, std::vector<text::Word>& words, size_t& budget);

  bool Has(uint32_t triggers) const { return (triggers_ & triggers) == triggers; }
  bool HasAny(uint32_t triggers) const { return (triggers_ & triggers) != 0; }

  // Finds the triggers of the readings that are made from `folded`. Called once, after those of Stage::kAsWritten.
  void Settle();

  // Sets the triggers that follow from the hints in `respelt`.
  void SettleRespelt();

  const std::string_view raw;
  rules::Hints hints;          // For the readings made from `folded`,
  rules::Hints respelt_hints;  // … and for those made from `respelt`.
  text::HiddenText hidden;
  text::TextView tag_text;
  text::TextView selector_text;
  text::TextView folded;                     // The text as a reader sees it.
  text::TextView respelt;                    // The last reading of role kRespelling.
  text::TextView made;                       // The last of all other readings.
  std::optional<text::DisguiseSpans> spans;  // Places where `raw` has the disguise that the last reading asked for.
  std::vector<text::TextView> decoded;       // Texts queued to be read,
  std::vector<const Reading*> decoded_by;    // … and the rows that made them.

  // Sets or clears triggers.
  void Set(uint32_t triggers, bool on) { triggers_ = on ? triggers_ | triggers : triggers_ & ~triggers; }
  // Leaves the words of `text` in the caller's vector.
  text::Shape ReadShape(std::string_view text);
  // `raw` as a view, which is in `made`: for the last readings.
  const text::TextView& Whole();
  size_t& budget() { return budget_; }

 private:
  std::vector<text::Word>& words_;
  size_t& budget_;
  text::Shape shape_;  // Of `raw`, then of `folded`.
  uint32_t triggers_ = 0;
  bool whole_ = false;  // `made` is `raw`.
};

// The text from which a reading is made.
enum class Stage : uint8_t {
  kAsWritten,  // The original text.
  kFolded,     // `folded`, or a respelling of it.
  kUndone,     // The original text, once all spellings of it are read.
};
inline constexpr std::array<Stage, 3> kStages = {Stage::kAsWritten, Stage::kFolded, Stage::kUndone};

// The use of a reading for later ones.
enum class Role : uint8_t {
  kBase,        // Later readings start from it.
  kRespelling,  // The readings after it start from it.
  kFinal,       // None.
};

// The price of a reading, from cheap to dear.
enum class Cost : uint8_t {
  kScan,       // One pass of the rules and models over it.
  kSplit,      // The words found in rows of letters, and a scan.
  kReadAgain,  // Read again in all ways; one of kMaxReadings if it is short.
  kDecode,     // A pass over the bytes, and kReadAgain for every reading that it makes.
};

// Steps of a WorkBudget that a reading takes for each byte of the text that it is made from, besides those of the texts
// that it makes.
constexpr size_t StepsOf(Cost cost) { return cost == Cost::kScan ? 4 : cost == Cost::kSplit ? 6 : 1; }

// Maximum number of short texts that are read in all ways in one window, including the window itself.
inline constexpr size_t kMaxReadings = 32;
// Longer ones wait until all short ones are read, and only the WorkBudget bounds them: garbage that can be read in many
// ways makes long texts, and a payload in it a short one.
inline constexpr size_t kShortText = size_t{4} << 10;

// Share for a reading without a disguise of its own: its findings count everywhere.
inline constexpr double kAnywhere = -1;

struct Reading {
  std::string_view name;
  // Makes the reading and returns it; null if there is nothing to read, or if decoded text was queued to be read. A
  // null function means that the unchanged text is scanned. `share` is that of the row.
  text::TextView* (*make)(SourceText& source, double share);
  double share;   // Minimum share of a finding that must be written in the disguise; or kAnywhere.
  uint32_t when;  // Triggers, all of which the text must have.
  Stage stage;
  Role role;
  Disguise disguise;
  Cost cost;
};

// All readings, stage by stage, in the order in which they are tried.
std::span<const Reading> Readings();

// The readings of a stage, and the triggers of which a text must have at least one for any of them.
struct ReadingStage {
  std::span<const Reading> readings;
  uint32_t triggers;
};
const ReadingStage& ReadingsOf(Stage stage);

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_READINGS_H_
