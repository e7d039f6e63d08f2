#include "security/injection_defence/detector.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "common/status_macros.h"
#include "security/injection_defence/decode/decoder.h"
#include "security/injection_defence/decode/markup.h"
#include "security/injection_defence/text/common_words.h"
#include "security/injection_defence/text/disguise_spans.h"
#include "security/injection_defence/text/normaliser.h"
#include "security/injection_defence/text/shape.h"
#include "security/injection_defence/text/words.h"

namespace toolgate::security::injection_defence {
namespace {

// Longer texts are read window by window, with so much overlap that no attack falls between two.
constexpr size_t kWindowBytes = size_t{1} << 16;
constexpr size_t kOverlapBytes = size_t{1} << 11;

// How much of a rule's weight an excuse leaves.
constexpr double FactorOf(rules::Excuse excuse) {
  switch (excuse) {
    case rules::Excuse::kNone:
      return 1;
    case rules::Excuse::kObject:
      return 0.5;
    case rules::Excuse::kReported:
    case rules::Excuse::kDiscussed:
      return 0.35;
  }
  return 1;
}

// Over how many bytes findings add up, and how much of a finding's weight counts there: a sentence or two, a paragraph,
// the whole.
struct Span {
  uint32_t bytes;
  double factor;
};
constexpr std::array<Span, 3> kSpans = {{{400, 1.0}, {2000, 0.85}, {0xFFFFFFFFu, 0.6}}};

// The most findings of one text. Whoever makes more has long been flagged.
constexpr size_t kMaxFindings = 4096;

// Rule and offset.
using KnownFindings = absl::flat_hash_set<std::pair<const char*, int64_t>>;

// The most readings of one window, decoded ones included.
constexpr size_t kMaxReadings = 32;

// Evidence that no rule file can express, since it is not in the text but in how it is written.
struct Trait {
  std::string_view rule_id;
  std::string_view family;
  double weight;
};
constexpr Trait kTags = {"hidden.tag-characters", "hidden_text", 0.75};
constexpr Trait kSelectors = {"hidden.variation-selectors", "hidden_text", 0.7};
constexpr Trait kInvisible = {"hidden.invisible-in-words", "hidden_text", 0.3};
constexpr Trait kBidi = {"hidden.bidi-override", "hidden_text", 0.3};
constexpr Trait kMarks = {"hidden.stacked-marks", "hidden_text", 0.2};
constexpr Trait kDisguised = {"hidden.disguised-words", "hidden_text", 0.4};
constexpr Trait kEncoded = {"encoded.instruction", "encoded_payload", 0.5};

// What the models of wording.h find; each finding has a weight of its own.
constexpr Trait kWording = {"wording.instruction", "wording", 0};
// What the wording below a disguise must weigh at least, more where long words of some other language may have been
// taken apart, and as it stands there at most.
constexpr double kSureWording = 0.45;
constexpr double kSureGluedWording = 0.85;
constexpr double kPlainWording = 0.6;
// What it finds less likely than this is no finding.
constexpr double kLeastWording = 0.3;
// Up to here the model doubts a rule, the more the less likely it finds the place; kDoubted of its weight stays at
// least.
constexpr double kLikelyWording = 0.7;
constexpr double kDoubted = 0.33;
// Strong rules of two families so near to each other are beyond doubt: no harmless words around them help.
constexpr double kStrongRule = 0.6;
constexpr uint32_t kNearRules = 200;
// A text as short as "Column 7" that has no word of any rule's says too little to be judged.
constexpr size_t kFewBytes = 15;

constexpr int kMinTags = 4;
constexpr int kMinSelectors = 4;
constexpr int kMinInvisible = 2;
constexpr int kMinStackedMarks = 6;

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

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

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

// One Detect of one window.
class DetectionRun {
 public:
  DetectionRun(const DetectorOptions& options, const models::DetectionModel& model, uint32_t base, KnownFindings& known,
               Detection& detection)
      : options_(options),
        model_(model),
        base_(base),
        known_(known),
        detection_(detection),
        words_(WordsOfThread()),
        budget_(options.max_decoded_bytes) {}

  void Run(std::string_view text) { Read(text, nullptr, 0); }

 private:
  static std::vector<text::Word>& WordsOfThread() {
    thread_local std::vector<text::Word> words;
    return words;
  }

  // How a text is read.
  enum class Disguise {
    kNone,
    kLookAlikes,  // Letters of other scripts, or turned ones, taken for the Latin ones that they look like.
    kDecoded,     // What was encoded, deleted, hidden or held apart, as it stands there then.
    kJoined,      // Joined words split. Honest texts join words as well: nothing is hidden, but it is not as it stands.
    kWords,
    kGlued,
    kEncoding,
  };

  // What it is evidence of when a rule holds in such a reading alone; nullptr: of nothing.
  static const Trait* TraitOf(Disguise disguise) {
    switch (disguise) {
      case Disguise::kNone:
      case Disguise::kJoined:
        return nullptr;
      case Disguise::kLookAlikes:
      case Disguise::kWords:
      case Disguise::kGlued:
        return &kDisguised;
      case Disguise::kDecoded:
      case Disguise::kEncoding:
        return &kEncoded;
    }
    return nullptr;
  }

  // Nobody writes like that by chance, so its words are judged as those of any text. Read in one of the other ways, a
  // table looks like anything, so that a rule must hold as well, or the reading be language where the text is none.
  static bool IsMeant(Disguise disguise) {
    return disguise == Disguise::kNone || disguise == Disguise::kLookAlikes || disguise == Disguise::kDecoded;
  }

  // `raw` is what to read, `from` the way from there to the window (null: it is the window).
  void Read(std::string_view raw, const text::TextView* from, int depth) {
    if (++readings_ > kMaxReadings) return;
    const text::Shape shape = ReadShape(raw);
    const Disguise plain = depth == 0 ? Disguise::kNone : Disguise::kDecoded;
    text::TextView folded;
    rules::Hints hints;
    const bool identity = shape.ascii && shape.plain_blanks;
    if (identity) {
      LookAtWords({raw, raw, nullptr}, from, plain, hints);
    } else if (shape.ascii) {
      text::Normaliser::FoldBlanks(raw, folded);
      Look({folded.text, raw, &folded}, from, plain, hints);
    } else {
      ReadUnicode(raw, from, depth, folded, hints);
    }
    if (identity && NeedsFolded(shape, hints)) text::Normaliser::FoldBlanks(raw, folded);
    ReadDisguised(raw, from, depth, shape, hints, folded);
    if (shape.deletions) ReadUndeleted(raw, from, depth);
    if (shape.torn_words && !in_joined_) ReadTorn(raw, from, depth);
    if ((shape.encoded_run || shape.escapes || shape.marked_run) && depth < options_.max_decode_depth) {
      ReadDecoded(raw, from, depth);
    }
  }

  // Leaves the words of `text` in `words_`.
  text::Shape ReadShape(std::string_view text) {
    text::ReadWords(text, words_);
    return text::ShapeOf(text, words_);
  }

  static bool NeedsFolded(const text::Shape& shape, const rules::Hints& hints) {
    return shape.leet || shape.spaced_letters || shape.pieces || shape.joined_words || shape.long_run ||
           hints.reversed > 0 || hints.rot13 > 0;
  }

  // Leaves in `folded` the reading to start from for further ones.
  void ReadUnicode(std::string_view raw, const text::TextView* from, int depth, text::TextView& folded,
                   rules::Hints& hints) {
    text::HiddenText hidden;
    text::TextView tags;
    text::TextView selectors;
    const Disguise plain = depth == 0 ? Disguise::kNone : Disguise::kDecoded;
    text::Normaliser::FoldUnicode(raw, folded, hidden, tags, selectors);
    Look({folded.text, raw, &folded}, from, plain, hints);
    NoteHidden(hidden, from);
    if (hidden.bidi_overrides > 0) ++hints.reversed;
    if (hidden.tags >= kMinTags) ReadNested(tags, from, depth + 1);
    if (hidden.variation_selectors >= kMinSelectors) ReadNested(selectors, from, depth + 1);
    // Accents alone fold to ASCII, in which nothing turned or looking alike is left.
    if (!IsAscii(folded.text)) {
      text::TextView view;
      if (text::Normaliser::Unturn(raw, folded, view)) {
        rules::Hints ignored;
        Look({view.text, raw, &view}, from, Disguise::kLookAlikes, ignored);
      }
      if (text::Normaliser::Skeleton(folded, view)) {
        Look({view.text, raw, &view}, from, Disguise::kLookAlikes, hints);
        folded = std::move(view);
      }
    }
    ReadStripped(raw, from, depth);
  }

  // What is encoded below invisible characters and other forms of letters.
  void ReadStripped(std::string_view raw, const text::TextView* from, int depth) {
    text::TextView stripped;
    // Most non-ASCII texts have nothing to take out: a look at the leading bytes of all that Strip knows says so.
    if (std::none_of(raw.begin(), raw.end(), [](char c) { return kStripLeads[static_cast<uint8_t>(c)]; })) return;
    if (depth >= options_.max_decode_depth || !text::Normaliser::Strip(raw, stripped)) return;
    const text::Shape shape = ReadShape(stripped.text);
    if (shape.encoded_run || shape.escapes || shape.spaced_letters) ReadNested(stripped, from, depth + 1);
  }

  void ReadUndeleted(std::string_view raw, const text::TextView* from, int depth) {
    text::TextView view;
    for (const bool apply : {false, true}) {
      text::Normaliser::Undelete(raw, apply, view);
      ReadNested(view, from, depth + 1);
    }
  }

  // Pages have tags in their words for honest reasons as well, so that this alone is no disguise. What is left of tags
  // in tags is none, for a browser neither: else it would take as many readings as it is deep.
  void ReadTorn(std::string_view raw, const text::TextView* from, int depth) {
    text::TextView joined;
    if (!decode::JoinTornWords(raw, joined)) return;
    in_joined_ = true;
    ReadNested(joined, from, depth);
    in_joined_ = false;
  }

  void ReadDisguised(std::string_view raw, const text::TextView* from, int depth, const text::Shape& shape,
                     const rules::Hints& hints, const text::TextView& folded) {
    const Disguise disguise = depth == 0 ? Disguise::kWords : Disguise::kEncoding;
    // Non-ASCII text may have become leet or spaced only by folding.
    const text::Shape now = shape.ascii ? shape : ReadShape(folded.text);
    text::TextView view;
    rules::Hints ignored;
    if (now.leet) {
      for (const char one : {'i', 'l'}) {
        text::Normaliser::Unleet(folded, one, view);
        const text::DisguiseSpans spans = text::DisguiseSpans::Leet(folded, view);
        rules::Hints leet_hints;
        Look({view.text, raw, &view, &spans}, from, disguise, leet_hints);
        ReadTurned(raw, from, view, &spans, leet_hints);
        if (raw.find_first_of("1|") == std::string_view::npos) break;
      }
    }
    if (now.joined_words) {
      text::Normaliser::Unjoin(folded, view);
      const text::DisguiseSpans spans = text::DisguiseSpans::Joined(folded);
      // Honest texts join words as well, so that this alone is no disguise.
      Look({view.text, raw, &view, &spans}, from, depth == 0 ? Disguise::kJoined : disguise, ignored);
    }
    if (now.spaced_letters) ReadSpaced(raw, from, depth, folded);
    if (now.pieces) ReadPieces(raw, from, depth, folded);
    if (now.long_run) {
      // So do identifiers, in camel case.
      const bool identifiers = depth == 0 && HasCamelCase(folded.text);
      const Disguise glued = depth == 0 ? Disguise::kGlued : Disguise::kEncoding;
      LookSegmented(raw, from, folded, text::DisguiseSpans::Glued(folded), identifiers ? Disguise::kJoined : glued);
    }
    ReadTurned(raw, from, folded, nullptr, hints);
  }

  // Letters held apart: closed up where gaps between words are left, and with the words found anew where not.
  void ReadSpaced(std::string_view raw, const text::TextView* from, int depth, const text::TextView& folded) {
    const Disguise disguise = depth == 0 ? Disguise::kWords : Disguise::kEncoding;
    text::TextView view;
    rules::Hints ignored;
    if (text::Normaliser::Rejoin(raw, view)) ReadNested(view, from, depth + 1);
    text::Normaliser::Unspace(folded, view);
    const text::DisguiseSpans spans = text::DisguiseSpans::HeldApart(folded);
    Look({view.text, raw, &view, &spans}, from, disguise, ignored);
    text::TextView unleeted;
    text::Normaliser::Unleet(view, 'i', unleeted);
    const Disguise glued = depth == 0 ? Disguise::kGlued : Disguise::kEncoding;
    if (unleeted.text != view.text) LookSegmented(raw, from, unleeted, spans, glued);
    LookSegmented(raw, from, view, spans, glued);
  }

  // Words cut into pieces.
  void ReadPieces(std::string_view raw, const text::TextView* from, int depth, const text::TextView& folded) {
    const text::DisguiseSpans spans = text::DisguiseSpans::Cut(folded);
    text::TextView view;
    spans.CloseUp(folded, view);
    LookSegmented(raw, from, view, spans, depth == 0 ? Disguise::kGlued : Disguise::kEncoding);
  }

  void LookSegmented(std::string_view raw, const text::TextView* from, const text::TextView& in,
                     const text::DisguiseSpans& spans, Disguise disguise) {
    text::TextView words;
    rules::Hints ignored;
    if (!model_.segmenter().Split(in, words)) return;
    Look({words.text, raw, &words, &spans}, from, disguise, ignored);
  }

  // Backwards, and by the alphabet turned by half.
  void ReadTurned(std::string_view raw, const text::TextView* from, const text::TextView& in,
                  const text::DisguiseSpans* spans, const rules::Hints& hints) {
    text::TextView view;
    rules::Hints ignored;
    if (hints.reversed > 0) {
      text::Normaliser::Reverse(in, view);
      Look({view.text, raw, &view, spans}, from, Disguise::kEncoding, ignored);
      text::Normaliser::ReverseWords(in, view);
      Look({view.text, raw, &view, spans}, from, Disguise::kEncoding, ignored);
    }
    if (hints.rot13 > 0) {
      text::Normaliser::Rot13(in, view);
      Look({view.text, raw, &view, spans}, from, Disguise::kEncoding, ignored);
    }
  }

  void ReadDecoded(std::string_view raw, const text::TextView* from, int depth) {
    text::TextView whole;
    whole.text = raw;
    whole.origin.resize(raw.size());
    for (uint32_t i = 0; i < raw.size(); ++i) whole.origin[i] = i;
    std::vector<text::TextView> decoded;
    decode::DecodeOnce(whole, budget_, decoded);
    for (text::TextView& reading : decoded) ReadNested(reading, from, depth + 1);
  }

  // Reads what comes of a text in all ways again. A reading of the same depth is as plain as the text itself.
  void ReadNested(text::TextView& reading, const text::TextView* from, int depth) {
    if (from != nullptr) {
      for (uint32_t& origin : reading.origin) origin = from->origin[origin];
    }
    Read(reading.text, &reading, depth);
  }

  void Look(const rules::Scanned& scanned, const text::TextView* from, Disguise disguise, rules::Hints& hints) {
    text::ReadWords(scanned.text, words_);
    LookAtWords(scanned, from, disguise, hints);
  }

  // Looks at a reading whose words were read.
  void LookAtWords(const rules::Scanned& scanned, const text::TextView* from, Disguise disguise, rules::Hints& hints) {
    thread_local std::vector<rules::LiteralMatch> literals;
    thread_local std::vector<rules::RuleMatch> matches;
    if (scanned.unspaced()) {
      model_.matcher().ScanInsideWords(scanned.text, literals);
    } else {
      model_.matcher().Scan(scanned.text, words_, literals);
    }
    matches.clear();
    thread_local std::vector<rules::ClassSighting> sightings;
    model_.evaluator().Evaluate(scanned, literals, matches, hints, sightings);
    if (literals.capacity() > kWindowBytes) std::vector<rules::LiteralMatch>().swap(literals);
    thread_local std::vector<wording::WordingScore> scores;
    scores.clear();
    const bool judged = !scanned.unspaced() && Judge(scanned, {sightings, matches}, disguise, scores);
    for (const rules::RuleMatch& match : matches) {
      const rules::Rule& rule = model_.rules().rules()[match.rule];
      const uint32_t offset = Offset(scanned.RawOffset(match.start), from);
      const bool doubted = judged && disguise == Disguise::kNone && !IsBeyondDoubt(match, matches);
      const double doubt = doubted ? DoubtOf(match, scores) : 1;
      const double weight = rule.weight * FactorOf(match.excuse) * doubt;
      const bool seen_undisguised = disguise != Disguise::kNone && Knows(rule);
      const bool is_new = Add({rule.id, rule.family, weight, offset, match.excuse != rules::Excuse::kNone, doubt < 1});
      if (!is_new || seen_undisguised || weight < (IsMeant(disguise) ? kDisguised.weight : kStrongRule)) continue;
      if (const Trait* const trait = TraitOf(disguise)) AddTrait(*trait, offset);
    }
    if (judged) AddWording(scanned, scores, from, disguise, !matches.empty());
  }

  // What the model of wordings makes of the reading; false when it was not asked.
  bool Judge(const rules::Scanned& scanned, const wording::PhraseEvidence& evidence, Disguise disguise,
             std::vector<wording::WordingScore>& scores) const {
    // A disguise is one only where it hides the wording.
    if (disguise != Disguise::kNone && plain_wording_ > kPlainWording) return false;
    if (evidence.matches.empty() && evidence.sightings.empty() && scanned.text.size() <= kFewBytes) return false;
    model_.wording().Score(scanned.text, words_, evidence, scores);
    return model_.wording().knows_anything();
  }

  // What is left of a rule's weight where the model, which knows of the rule, finds none of the places around it
  // likely to be an attack.
  static double DoubtOf(const rules::RuleMatch& match, const std::vector<wording::WordingScore>& scores) {
    double likeliest = 0;
    for (const wording::WordingScore& score : scores) {
      if (score.start < match.end && score.end > match.start) likeliest = std::max(likeliest, score.weight);
    }
    return std::clamp(likeliest / kLikelyWording, kDoubted, 1.0);
  }
  bool IsBeyondDoubt(const rules::RuleMatch& match, const std::vector<rules::RuleMatch>& matches) const {
    const std::vector<rules::Rule>& rules = model_.rules().rules();
    const auto is_strong = [&](const rules::RuleMatch& m) { return rules[m.rule].weight >= kStrongRule; };
    return is_strong(match) && std::any_of(matches.begin(), matches.end(), [&](const rules::RuleMatch& other) {
             return is_strong(other) && rules[other.rule].family != rules[match.rule].family &&
                    other.start < match.end + kNearRules && match.start < other.end + kNearRules;
           });
  }

  // `has_rule`: some rule holds in the reading.
  void AddWording(const rules::Scanned& scanned, const std::vector<wording::WordingScore>& scores,
                  const text::TextView* from, Disguise disguise, bool has_rule) {
    for (const wording::WordingScore& score : scores) {
      if (score.weight < kLeastWording || !scanned.MayCount(score.start, score.end)) continue;
      if (disguise != Disguise::kNone && score.weight < kSureWording) continue;
      const bool doubtful = !has_rule || (disguise == Disguise::kGlued && score.weight < kSureGluedWording);
      if (!IsMeant(disguise) && doubtful && !IsLanguage(scanned, score)) continue;
      const uint32_t offset = Offset(scanned.RawOffset(score.start), from);
      if (disguise == Disguise::kNone) plain_wording_ = std::max(plain_wording_, score.weight);
      Add({kWording.rule_id, kWording.family, score.weight, offset});
    }
  }

  // What stands there is read as language, and is none itself.
  static bool IsLanguage(const rules::Scanned& scanned, const wording::WordingScore& score) {
    // A reading may run backwards.
    const auto [first, last] = std::minmax({scanned.RawOffset(score.start), scanned.RawOffset(score.end - 1)});
    return text::ReadsAsLanguage(scanned.text.substr(score.start, score.end - score.start),
                                 scanned.raw.substr(first, last + 1 - first));
  }

  void NoteHidden(const text::HiddenText& hidden, const text::TextView* from) {
    const auto note = [&](int count, int least, uint32_t offset, const Trait& trait) {
      if (count >= least) AddTrait(trait, Offset(offset, from));
    };
    note(hidden.tags, kMinTags, hidden.tag_offset, kTags);
    note(hidden.variation_selectors, kMinSelectors, hidden.selector_offset, kSelectors);
    note(hidden.invisible_in_words, kMinInvisible, hidden.invisible_offset, kInvisible);
    note(hidden.bidi_overrides, 1, hidden.bidi_offset, kBidi);
    note(hidden.stacked_marks, kMinStackedMarks, hidden.marks_offset, kMarks);
  }

  uint32_t Offset(uint32_t raw, const text::TextView* from) const {
    return base_ + (from == nullptr ? raw : from->origin[raw]);
  }

  void AddTrait(const Trait& trait, uint32_t offset) { Add({trait.rule_id, trait.family, trait.weight, offset}); }

  // The rule was seen in a reading before. Looks at the first findings only, which is enough of those.
  bool Knows(const rules::Rule& rule) const {
    constexpr size_t kMostFindings = 128;
    const size_t size = std::min(detection_.findings.size(), kMostFindings);
    return std::any_of(detection_.findings.begin(), detection_.findings.begin() + static_cast<ptrdiff_t>(size),
                       [&](const DetectedRule& known) { return known.rule_id.data() == rule.id.data(); });
  }

  // False when this rule is known at this place, from another reading.
  bool Add(const DetectedRule& finding) {
    if (detection_.findings.size() >= kMaxFindings || !known_.emplace(finding.rule_id.data(), finding.offset).second) {
      return false;
    }
    detection_.findings.push_back(finding);
    return true;
  }

  const DetectorOptions& options_;
  const models::DetectionModel& model_;
  const uint32_t base_;
  KnownFindings& known_;
  Detection& detection_;
  std::vector<text::Word>& words_;  // Of what was looked at last.
  size_t budget_;
  size_t readings_ = 0;
  bool in_joined_ = false;    // What is read now had tags in its words.
  double plain_wording_ = 0;  // The highest weight of the wording as it stands there.
};

// Noisy-or of the findings within `span` bytes from the first one of `findings`. Each rule counts once, and of a
// family's excused and doubted ones, which mostly are the same words seen by several rules, only the first.
double ScoreFrom(const DetectedRule* first, const DetectedRule* end, const Span& span) {
  constexpr size_t kMostRules = 24;
  constexpr ptrdiff_t kMostFindings = 256;
  std::array<const char*, kMostRules> seen;
  std::array<std::string_view, kMostRules> excused;
  size_t count = 0;
  size_t excused_count = 0;
  double clean = 1;
  for (const DetectedRule* f = first; f != end && count < kMostRules && f - first < kMostFindings; ++f) {
    if (f->offset - first->offset > span.bytes) break;
    if (std::find(seen.begin(), seen.begin() + count, f->rule_id.data()) != seen.begin() + count) continue;
    seen[count++] = f->rule_id.data();
    if (f->excused || f->doubted) {
      if (std::find(excused.begin(), excused.begin() + excused_count, f->family) != excused.begin() + excused_count) {
        continue;
      }
      excused[excused_count++] = f->family;
    }
    clean *= 1 - f->weight * (f == first ? 1.0 : span.factor);
  }
  return 1 - clean;
}

void Score(Detection& detection, double threshold) {
  auto& findings = detection.findings;
  std::stable_sort(findings.begin(), findings.end(), [](const DetectedRule& a, const DetectedRule& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.weight > b.weight;
  });
  const DetectedRule* const end = findings.data() + findings.size();
  for (const Span& span : kSpans) {
    for (const DetectedRule* f = findings.data(); f != end; ++f) {
      detection.score = std::max(detection.score, ScoreFrom(f, end, span));
    }
  }
  detection.flagged = detection.score >= threshold;
}

}  // namespace

Detector::Detector(const DetectorOptions& options, std::shared_ptr<const models::DetectionModel> model)
    : options_(options), model_(std::move(model)) {}

absl::StatusOr<std::unique_ptr<Detector>> Detector::Create(const DetectorOptions& options) {
  ASSIGN_OR_RETURN(std::shared_ptr<const models::DetectionModel> model, models::DetectionModel::Embedded());
  return std::unique_ptr<Detector>(new Detector(options, std::move(model)));
}

absl::StatusOr<std::unique_ptr<Detector>> Detector::CreateWithRules(const DetectorOptions& options,
                                                                    rules::RuleSet rules) {
  return std::unique_ptr<Detector>(
      new Detector(options, std::make_shared<const models::DetectionModel>(std::move(rules), wording::Wording())));
}

Detection Detector::Detect(std::string_view text) const {
  Detection detection;
  KnownFindings known;
  if (text::IsPlainToken(text)) return detection;
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.size(), start + kWindowBytes);
    while (end < text.size() && end > start + 1 && IsContinuation(text[end])) --end;
    DetectionRun(options_, *model_, static_cast<uint32_t>(start), known, detection)
        .Run(text.substr(start, end - start));
    if (end == text.size()) break;
    start = end - kOverlapBytes;
    while (IsContinuation(text[start]) && start > end - kOverlapBytes - 4) --start;
  }
  Score(detection, options_.threshold);
  return detection;
}

}  // namespace toolgate::security::injection_defence
