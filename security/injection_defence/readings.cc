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
#include "security/injection_defence/text/utf8.h"

namespace toolgate::security::injection_defence {
namespace {

using text::DisguiseSpans;
using text::Normaliser;
using text::TextView;

// Leading bytes of all characters that Normaliser::Strip removes or replaces.
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
  // Accents alone fold to ASCII, which has no turned or look-alike letters left.
  source.Set(trigger::kOtherLetters, !text::IsAscii(source.folded.text));
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

// Worth reading again only if it may contain encoded text below the removed characters.
TextView* Strip(SourceText& source, double) {
  // Most non-ASCII texts have nothing to remove, which the leading bytes show.
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

// Applies one of Normaliser's transformations to a view of the source.
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

// Share of words that must be disguised. A hidden instruction may leave all of its words but one as they are: "s k i p
// all previous instructions". One word with digits for letters is enough.
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
    // name, made by, share,
    //     when, stage, role, disguise, cost
    {"as_written", nullptr, kAnywhere,
     trigger::kPlainAscii, kAsWritten, Role::kBase, Disguise::kNone, Cost::kScan},
    {"blanks_folded", FoldBlanks, kAnywhere,
     trigger::kAsciiBlanks, kAsWritten, Role::kBase, Disguise::kNone, Cost::kScan},
    {"unicode_folded", FoldUnicode, kAnywhere,
     trigger::kUnicode, kAsWritten, Role::kBase, Disguise::kNone, Cost::kScan},
    {"tag_characters", TagText, kAnywhere,
     trigger::kTagCharacters, kAsWritten, Role::kFinal, Disguise::kDecoded, Cost::kReadAgain},
    {"variation_selectors", SelectorText, kAnywhere,
     trigger::kVariationSelectors, kAsWritten, Role::kFinal, Disguise::kDecoded, Cost::kReadAgain},
    {"upside_down", Unturn, kAnywhere,
     trigger::kOtherLetters, kAsWritten, Role::kFinal, Disguise::kLookAlikes, Cost::kScan},
    {"look_alikes", Skeleton, kAnywhere,
     trigger::kOtherLetters, kAsWritten, Role::kBase, Disguise::kLookAlikes, Cost::kScan},
    {"stripped", Strip, kAnywhere,
     trigger::kUnicode | trigger::kMayDecode, kAsWritten, Role::kFinal, Disguise::kDecoded, Cost::kReadAgain},

    {"leet", Unleet<'i'>, kShareLeet,
     trigger::kLeet, kFolded, Role::kRespelling, Disguise::kWords, Cost::kScan},
    {"leet_reversed", kTurnRespelt<Normaliser::Reverse>, kShareLeet,
     trigger::kLeet | trigger::kRespeltReversed, kFolded, Role::kFinal, Disguise::kEncoding, Cost::kScan},
    {"leet_words_reversed", kTurnRespelt<Normaliser::ReverseWords>, kShareLeet,
     trigger::kLeet | trigger::kRespeltReversed, kFolded, Role::kFinal, Disguise::kEncoding, Cost::kScan},
    {"leet_rot13", kTurnRespelt<Normaliser::Rot13>, kShareLeet,
     trigger::kLeet | trigger::kRespeltRot13, kFolded, Role::kFinal, Disguise::kEncoding, Cost::kScan},
    {"leet_l", Unleet<'l'>, kShareLeet,
     trigger::kLeetOnes, kFolded, Role::kRespelling, Disguise::kWords, Cost::kScan},
    {"leet_l_reversed", kTurnRespelt<Normaliser::Reverse>, kShareLeet,
     trigger::kLeetOnes | trigger::kRespeltReversed, kFolded, Role::kFinal, Disguise::kEncoding, Cost::kScan},
    {"leet_l_words_reversed", kTurnRespelt<Normaliser::ReverseWords>, kShareLeet,
     trigger::kLeetOnes | trigger::kRespeltReversed, kFolded, Role::kFinal, Disguise::kEncoding, Cost::kScan},
    {"leet_l_rot13", kTurnRespelt<Normaliser::Rot13>, kShareLeet,
     trigger::kLeetOnes | trigger::kRespeltRot13, kFolded, Role::kFinal, Disguise::kEncoding, Cost::kScan},
    // Honest texts join words as well, so this alone is not a disguise.
    {"joined_words", Unjoin, kShareJoined,
     trigger::kJoinedWords, kFolded, Role::kFinal, Disguise::kJoined, Cost::kScan},
    // Letters held apart: closed up if gaps between words are left, otherwise with the words found anew.
    {"held_apart", Rejoin, kAnywhere,
     trigger::kSpacedLetters, kFolded, Role::kFinal, Disguise::kDecoded, Cost::kReadAgain},
    {"without_blanks", Unspace, kShareHeldApart,
     trigger::kSpacedLetters, kFolded, Role::kRespelling, Disguise::kWords, Cost::kScan},
    {"without_blanks_leet", UnspaceAndUnleet, kShareHeldApart,
     trigger::kSpacedLetters, kFolded, Role::kFinal, Disguise::kGlued, Cost::kSplit},
    {"without_blanks_split", Respelt, kShareHeldApart,
     trigger::kSpacedLetters, kFolded, Role::kFinal, Disguise::kGlued, Cost::kSplit},
    {"pieces", CloseUpPieces, kShareCut,
     trigger::kPieces, kFolded, Role::kFinal, Disguise::kGlued, Cost::kSplit},
    {"glued_words", LongRuns, kShareGlued,
     trigger::kLongRun, kFolded, Role::kFinal, Disguise::kGlued, Cost::kSplit},
    // Identifiers join words as well.
    {"camel_case", LongRuns, kShareGlued,
     trigger::kCamelRun, kFolded, Role::kFinal, Disguise::kJoined, Cost::kSplit},
    {"reversed", kTurnFolded<Normaliser::Reverse>, kAnywhere,
     trigger::kReversed, kFolded, Role::kFinal, Disguise::kEncoding, Cost::kScan},
    {"words_reversed", kTurnFolded<Normaliser::ReverseWords>, kAnywhere,
     trigger::kReversed, kFolded, Role::kFinal, Disguise::kEncoding, Cost::kScan},
    {"rot13", kTurnFolded<Normaliser::Rot13>, kAnywhere,
     trigger::kRot13, kFolded, Role::kFinal, Disguise::kEncoding, Cost::kScan},

    {"deletions_dropped", Undelete<false>, kAnywhere,
     trigger::kDeletions, kUndone, Role::kFinal, Disguise::kDecoded, Cost::kReadAgain},
    {"deletions_applied", Undelete<true>, kAnywhere,
     trigger::kDeletions, kUndone, Role::kFinal, Disguise::kDecoded, Cost::kReadAgain},
    // Pages have tags in their words for honest reasons as well, so this alone is not a disguise.
    {"torn_words", JoinTornWords, kAnywhere,
     trigger::kTornWords, kUndone, Role::kFinal, Disguise::kNone, Cost::kReadAgain},
    {"escapes", Decode<decode::DecodeEscapes>, kAnywhere,
     trigger::kEncoded, kUndone, Role::kFinal, Disguise::kDecoded, Cost::kDecode},
    {"base64_or_hex", Decode<decode::DecodeBase64AndHex>, kAnywhere,
     trigger::kEncoded, kUndone, Role::kFinal, Disguise::kDecoded, Cost::kDecode},
    {"base64_pieces", DecodeRuns<decode::FindBase64Pieces>, kAnywhere,
     trigger::kEncoded, kUndone, Role::kFinal, Disguise::kDecoded, Cost::kDecode},
    {"base32", DecodeRuns<decode::FindBase32>, kAnywhere,
     trigger::kEncoded, kUndone, Role::kFinal, Disguise::kDecoded, Cost::kDecode},
    {"base85", DecodeRuns<decode::FindBase85>, kAnywhere,
     trigger::kEncoded, kUndone, Role::kFinal, Disguise::kDecoded, Cost::kDecode},
    {"decimal_rows", DecodeRuns<decode::FindDecimalRows>, kAnywhere,
     trigger::kEncoded, kUndone, Role::kFinal, Disguise::kDecoded, Cost::kDecode},
    {"octal_rows", DecodeRuns<decode::FindOctalRows>, kAnywhere,
     trigger::kEncoded, kUndone, Role::kFinal, Disguise::kDecoded, Cost::kDecode},
    {"bits", DecodeRuns<decode::FindBits>, kAnywhere,
     trigger::kEncoded, kUndone, Role::kFinal, Disguise::kDecoded, Cost::kDecode},
    {"morse", DecodeRuns<decode::FindMorse>, kAnywhere,
     trigger::kEncoded, kUndone, Role::kFinal, Disguise::kDecoded, Cost::kDecode},
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
  // Nested tags split no words, not even in a browser: otherwise a text would take as many readings as its tags are
  // nested.
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
