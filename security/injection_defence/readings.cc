#include "security/injection_defence/readings.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "security/injection_defence/decode/code_rows.h"
#include "security/injection_defence/decode/decoder.h"
#include "security/injection_defence/decode/digit_runs.h"
#include "security/injection_defence/decode/markup.h"

namespace toolgate::security::injection_defence {
namespace {

using text::DisguiseSpans;
using text::Normaliser;
using text::TextView;

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

// Leading bytes of all characters that Normaliser::Strip takes out or replaces.
constexpr std::array<bool, 256> MakeStripLeads() {
  std::array<bool, 256> leads = {};
  for (const uint8_t lead : {0xC2, 0xCC, 0xCD, 0xD2, 0xD6, 0xD7, 0xD8, 0xD9, 0xE1, 0xE2, 0xE3, 0xEF, 0xF3}) {
    leads[lead] = true;
  }
  return leads;
}
constexpr std::array<bool, 256> kStripLeads = MakeStripLeads();

bool HasCamelCase(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i - 1] >= 'a' && text[i - 1] <= 'z' && text[i] >= 'A' && text[i] <= 'Z') return true;
  }
  return false;
}

// --- as written -----------------------------------------------------------------------------------------------------

TextView* FoldBlanks(SourceText& source, double) {
  Normaliser::FoldBlanks(source.raw, source.folded);
  return &source.folded;
}

TextView* FoldUnicode(SourceText& source, double) {
  Normaliser::FoldUnicode(source.raw, source.folded, source.hidden, source.tag_text, source.selector_text);
  source.Set(trigger::kTagCharacters, source.hidden.tags >= kMinTags);
  source.Set(trigger::kVariationSelectors, source.hidden.variation_selectors >= kMinSelectors);
  // Accents alone fold to ASCII, in which nothing turned or looking alike is left.
  source.Set(trigger::kOtherLetters, !IsAscii(source.folded.text));
  return &source.folded;
}

TextView* TagText(SourceText& source, double) { return &source.tag_text; }
TextView* SelectorText(SourceText& source, double) { return &source.selector_text; }

TextView* Unturn(SourceText& source, double) {
  return Normaliser::Unturn(source.raw, source.folded, source.made) ? &source.made : nullptr;
}

TextView* Skeleton(SourceText& source, double) {
  return Normaliser::Skeleton(source.folded, source.made) ? &source.made : nullptr;
}

// Only what may be encoded below the characters that were taken out is worth reading again.
TextView* Strip(SourceText& source, double) {
  // Most non-ASCII texts have nothing to take out: a look at the leading bytes says so.
  const std::string_view raw = source.raw;
  if (std::none_of(raw.begin(), raw.end(), [](char c) { return kStripLeads[static_cast<uint8_t>(c)]; })) return nullptr;
  if (!Normaliser::Strip(raw, source.made)) return nullptr;
  const text::Shape shape = source.ReadShape(source.made.text);
  return shape.encoded_run || shape.escapes || shape.spaced_letters ? &source.made : nullptr;
}

// --- folded ---------------------------------------------------------------------------------------------------------

template <char kOne>
TextView* Unleet(SourceText& source, double share) {
  Normaliser::Unleet(source.folded, kOne, source.respelt);
  source.spans = DisguiseSpans::Leet(source.folded, source.respelt, share);
  return &source.respelt;
}

TextView* Unjoin(SourceText& source, double share) {
  Normaliser::Unjoin(source.folded, source.made);
  source.spans = DisguiseSpans::Joined(source.folded, share);
  return &source.made;
}

TextView* Rejoin(SourceText& source, double) {
  return Normaliser::Rejoin(source.raw, source.made) ? &source.made : nullptr;
}

TextView* Unspace(SourceText& source, double share) {
  Normaliser::Unspace(source.folded, source.respelt);
  source.spans = DisguiseSpans::HeldApart(source.folded, share);
  return &source.respelt;
}

TextView* UnspaceAndUnleet(SourceText& source, double) {
  Normaliser::Unleet(source.respelt, 'i', source.made);
  return source.made.text != source.respelt.text ? &source.made : nullptr;
}

TextView* Respelt(SourceText& source, double) { return &source.respelt; }

TextView* CloseUpPieces(SourceText& source, double share) {
  source.spans = DisguiseSpans::Cut(source.folded, share);
  source.spans->CloseUp(source.folded, source.made);
  return &source.made;
}

TextView* LongRuns(SourceText& source, double share) {
  source.spans = DisguiseSpans::Glued(source.folded, share);
  return &source.folded;
}

// Applies one of Normaliser's functions that turn a text to a view of the source.
template <auto kTurn, TextView SourceText::*kView>
TextView* Turn(SourceText& source, double) {
  kTurn(source.*kView, source.made);
  return &source.made;
}
template <auto kTurn>
constexpr auto kTurnFolded = Turn<kTurn, &SourceText::folded>;
template <auto kTurn>
constexpr auto kTurnRespelt = Turn<kTurn, &SourceText::respelt>;

// --- undone ---------------------------------------------------------------------------------------------------------

template <bool kApply>
TextView* Undelete(SourceText& source, double) {
  Normaliser::Undelete(source.raw, kApply, source.made);
  return &source.made;
}

TextView* JoinTornWords(SourceText& source, double) {
  return decode::JoinTornWords(source.raw, source.made) ? &source.made : nullptr;
}

template <auto kDecode>
TextView* Decode(SourceText& source, double) {
  kDecode(source.Whole(), source.budget(), source.decoded);
  return nullptr;
}
template <decode::FindRuns kFind>
TextView* DecodeRuns(SourceText& source, double) {
  decode::DecodeRuns(kFind, source.Whole(), source.budget(), source.decoded);
  return nullptr;
}

// Whoever hides an instruction may leave all of its words but one as they are: "s k i p all previous instructions". Of
// words with digits for letters any one will do.
constexpr double kShareLeet = 0;
constexpr double kShareHeldApart = 0.15;
constexpr double kShareCut = 0.3;
constexpr double kShareGlued = 0.3;
constexpr double kShareJoined = 0.5;

constexpr auto kAsWritten = Stage::kAsWritten;
constexpr auto kFolded = Stage::kFolded;
constexpr auto kUndone = Stage::kUndone;

// clang-format off
constexpr Reading kReadings[] = {
    // name, stage, when,
    //     made by, role, disguise, share, cost
    {"as_written", kAsWritten, trigger::kPlainAscii,
     nullptr, Role::kBase, Disguise::kNone, kAnywhere, Cost::kScan},
    {"blanks_folded", kAsWritten, trigger::kAsciiBlanks,
     FoldBlanks, Role::kBase, Disguise::kNone, kAnywhere, Cost::kScan},
    {"unicode_folded", kAsWritten, trigger::kUnicode,
     FoldUnicode, Role::kBase, Disguise::kNone, kAnywhere, Cost::kScan},
    {"tag_characters", kAsWritten, trigger::kTagCharacters,
     TagText, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kReadAgain},
    {"variation_selectors", kAsWritten, trigger::kVariationSelectors,
     SelectorText, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kReadAgain},
    {"upside_down", kAsWritten, trigger::kOtherLetters,
     Unturn, Role::kFinal, Disguise::kLookAlikes, kAnywhere, Cost::kScan},
    {"look_alikes", kAsWritten, trigger::kOtherLetters,
     Skeleton, Role::kBase, Disguise::kLookAlikes, kAnywhere, Cost::kScan},
    {"stripped", kAsWritten, trigger::kUnicode | trigger::kMayDecode,
     Strip, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kReadAgain},

    {"leet", kFolded, trigger::kLeet,
     Unleet<'i'>, Role::kRespelling, Disguise::kWords, kShareLeet, Cost::kScan},
    {"leet_reversed", kFolded, trigger::kLeet | trigger::kRespeltReversed,
     kTurnRespelt<Normaliser::Reverse>, Role::kFinal, Disguise::kEncoding, kShareLeet, Cost::kScan},
    {"leet_words_reversed", kFolded, trigger::kLeet | trigger::kRespeltReversed,
     kTurnRespelt<Normaliser::ReverseWords>, Role::kFinal, Disguise::kEncoding, kShareLeet, Cost::kScan},
    {"leet_rot13", kFolded, trigger::kLeet | trigger::kRespeltRot13,
     kTurnRespelt<Normaliser::Rot13>, Role::kFinal, Disguise::kEncoding, kShareLeet, Cost::kScan},
    {"leet_l", kFolded, trigger::kLeetOnes,
     Unleet<'l'>, Role::kRespelling, Disguise::kWords, kShareLeet, Cost::kScan},
    {"leet_l_reversed", kFolded, trigger::kLeetOnes | trigger::kRespeltReversed,
     kTurnRespelt<Normaliser::Reverse>, Role::kFinal, Disguise::kEncoding, kShareLeet, Cost::kScan},
    {"leet_l_words_reversed", kFolded, trigger::kLeetOnes | trigger::kRespeltReversed,
     kTurnRespelt<Normaliser::ReverseWords>, Role::kFinal, Disguise::kEncoding, kShareLeet, Cost::kScan},
    {"leet_l_rot13", kFolded, trigger::kLeetOnes | trigger::kRespeltRot13,
     kTurnRespelt<Normaliser::Rot13>, Role::kFinal, Disguise::kEncoding, kShareLeet, Cost::kScan},
    // Honest texts join words as well, so that this alone is no disguise.
    {"joined_words", kFolded, trigger::kJoinedWords,
     Unjoin, Role::kFinal, Disguise::kJoined, kShareJoined, Cost::kScan},
    // Letters held apart: closed up where gaps between words are left, and with the words found anew where not.
    {"held_apart", kFolded, trigger::kSpacedLetters,
     Rejoin, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kReadAgain},
    {"without_blanks", kFolded, trigger::kSpacedLetters,
     Unspace, Role::kRespelling, Disguise::kWords, kShareHeldApart, Cost::kScan},
    {"without_blanks_leet", kFolded, trigger::kSpacedLetters,
     UnspaceAndUnleet, Role::kFinal, Disguise::kGlued, kShareHeldApart, Cost::kSplit},
    {"without_blanks_split", kFolded, trigger::kSpacedLetters,
     Respelt, Role::kFinal, Disguise::kGlued, kShareHeldApart, Cost::kSplit},
    {"pieces", kFolded, trigger::kPieces,
     CloseUpPieces, Role::kFinal, Disguise::kGlued, kShareCut, Cost::kSplit},
    {"glued_words", kFolded, trigger::kLongRun,
     LongRuns, Role::kFinal, Disguise::kGlued, kShareGlued, Cost::kSplit},
    // Identifiers join words as well.
    {"camel_case", kFolded, trigger::kCamelRun,
     LongRuns, Role::kFinal, Disguise::kJoined, kShareGlued, Cost::kSplit},
    {"reversed", kFolded, trigger::kReversed,
     kTurnFolded<Normaliser::Reverse>, Role::kFinal, Disguise::kEncoding, kAnywhere, Cost::kScan},
    {"words_reversed", kFolded, trigger::kReversed,
     kTurnFolded<Normaliser::ReverseWords>, Role::kFinal, Disguise::kEncoding, kAnywhere, Cost::kScan},
    {"rot13", kFolded, trigger::kRot13,
     kTurnFolded<Normaliser::Rot13>, Role::kFinal, Disguise::kEncoding, kAnywhere, Cost::kScan},

    {"deletions_dropped", kUndone, trigger::kDeletions,
     Undelete<false>, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kReadAgain},
    {"deletions_applied", kUndone, trigger::kDeletions,
     Undelete<true>, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kReadAgain},
    // Pages have tags in their words for honest reasons as well, so that this alone is no disguise.
    {"torn_words", kUndone, trigger::kTornWords,
     JoinTornWords, Role::kFinal, Disguise::kNone, kAnywhere, Cost::kReadAgain},
    {"escapes", kUndone, trigger::kEncoded,
     Decode<decode::DecodeEscapes>, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kDecode},
    {"base64_or_hex", kUndone, trigger::kEncoded,
     Decode<decode::DecodeBase64AndHex>, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kDecode},
    {"base64_pieces", kUndone, trigger::kEncoded,
     DecodeRuns<decode::FindBase64Pieces>, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kDecode},
    {"base32", kUndone, trigger::kEncoded,
     DecodeRuns<decode::FindBase32>, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kDecode},
    {"base85", kUndone, trigger::kEncoded,
     DecodeRuns<decode::FindBase85>, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kDecode},
    {"decimal_rows", kUndone, trigger::kEncoded,
     DecodeRuns<decode::FindDecimalRows>, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kDecode},
    {"octal_rows", kUndone, trigger::kEncoded,
     DecodeRuns<decode::FindOctalRows>, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kDecode},
    {"bits", kUndone, trigger::kEncoded,
     DecodeRuns<decode::FindBits>, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kDecode},
    {"morse", kUndone, trigger::kEncoded,
     DecodeRuns<decode::FindMorse>, Role::kFinal, Disguise::kDecoded, kAnywhere, Cost::kDecode},
};
// clang-format on

constexpr ReadingStage MakeStage(Stage stage) {
  const auto* const begin = std::find_if(std::begin(kReadings), std::end(kReadings),
                                         [&](const Reading& reading) { return reading.stage == stage; });
  const auto* const end =
      std::find_if(begin, std::end(kReadings), [&](const Reading& reading) { return reading.stage != stage; });
  uint32_t triggers = 0;
  for (const auto* reading = begin; reading != end; ++reading) triggers |= reading->when;
  return {{begin, end}, triggers};
}
constexpr std::array<ReadingStage, kStages.size()> kReadingStages = {
    MakeStage(Stage::kAsWritten), MakeStage(Stage::kFolded), MakeStage(Stage::kUndone)};

}  // namespace

SourceText::SourceText(std::string_view raw_text, bool may_decode, bool in_torn_words, std::vector<text::Word>& words,
                       size_t& budget)
    : raw(raw_text), words_(words), budget_(budget), shape_(ReadShape(raw_text)) {
  const bool plain = shape_.ascii && shape_.plain_blanks;
  Set(plain ? trigger::kPlainAscii : shape_.ascii ? trigger::kAsciiBlanks : trigger::kUnicode, true);
  Set(trigger::kMayDecode, may_decode);
  Set(trigger::kDeletions, shape_.deletions);
  // Tags in tags tear nothing apart, for a browser neither: else it would take as many readings as they are deep.
  Set(trigger::kTornWords, shape_.torn_words && !in_torn_words);
  Set(trigger::kEncoded, may_decode && (shape_.encoded_run || shape_.escapes || shape_.marked_run));
}

text::Shape SourceText::ReadShape(std::string_view text) {
  text::ReadWords(text, words_);
  return text::ShapeOf(text, words_);
}

const TextView& SourceText::Whole() {
  if (!whole_) {
    whole_ = true;
    made.Clear();
    made.text = raw;
    made.origin.resize(raw.size());
    for (uint32_t i = 0; i < raw.size(); ++i) made.origin[i] = i;
  }
  return made;
}

void SourceText::Settle() {
  // Non-ASCII text may have become leet or spaced only by folding.
  if (!shape_.ascii) shape_ = ReadShape(folded.text);
  const text::Shape& shape = shape_;
  const bool reversed = hints.reversed > 0 || hidden.bidi_overrides > 0;
  const bool respellable = shape.leet || shape.joined_words || shape.spaced_letters || shape.pieces || shape.long_run;
  if (!respellable && !reversed && hints.rot13 == 0) return;
  if (Has(trigger::kPlainAscii)) Normaliser::FoldBlanks(raw, folded);
  Set(trigger::kLeet, shape.leet);
  Set(trigger::kLeetOnes, shape.leet && raw.find_first_of("1|") != std::string_view::npos);
  Set(trigger::kJoinedWords, shape.joined_words);
  Set(trigger::kSpacedLetters, shape.spaced_letters);
  Set(trigger::kPieces, shape.pieces);
  if (shape.long_run) Set(HasCamelCase(folded.text) ? trigger::kCamelRun : trigger::kLongRun, true);
  Set(trigger::kReversed, reversed);
  Set(trigger::kRot13, hints.rot13 > 0);
}

void SourceText::SettleRespelt() {
  Set(trigger::kRespeltReversed, respelt_hints.reversed > 0);
  Set(trigger::kRespeltRot13, respelt_hints.rot13 > 0);
  respelt_hints = {};
}

std::span<const Reading> Readings() { return kReadings; }

const ReadingStage& ReadingsOf(Stage stage) { return kReadingStages[static_cast<size_t>(stage)]; }

}  // namespace toolgate::security::injection_defence
