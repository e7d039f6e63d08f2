#include "security/injection_defence/detection_run.h"

#include <algorithm>
#include <utility>

#include "security/injection_defence/finding_families.h"
#include "security/injection_defence/text/common_words.h"

namespace toolgate::security::injection_defence {
namespace {

// Maximum number of findings in one text, which is flagged long before that.
constexpr size_t kMaxFindings = 4096;

// The share of a rule's weight that remains after an excuse.
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

// Findings of the wording models; each has its own weight.
constexpr Evidence kWording = {"wording.instruction", kWordingFamily, 0};
// From this weight on, the wording is enough as it is: disguised text is not judged any more.
constexpr double kPlainWording = 0.6;
// Below this likelihood the model doubts a rule, the more the lower it is; at least kDoubted of the weight stays. It is
// the likelihood at which the model itself is undecided, before the calibration that is for strengthening rules.
constexpr double kLikelyWording = 0.3;
constexpr double kDoubted = 0.7;
// Strong rules of two families this close to each other are beyond doubt: harmless words around them do not help.
constexpr double kStrongRule = 0.6;
constexpr uint32_t kNearRules = 200;
// A text as short as "Your guidelines" without a rule has too little to be judged.
constexpr size_t kFewBytes = 15;
// Number of literals in one scan above which their memory is freed afterwards.
constexpr size_t kManyLiterals = size_t{1} << 16;

std::vector<text::Word>& WordsOfThread() {
  thread_local std::vector<text::Word> words;
  return words;
}

// The share of a rule's weight that remains if the model, which knows the rule, finds none of the places around it
// likely to be an attack.
double DoubtOf(const rules::RuleMatch& match, const std::vector<wording::WordingScore>& scores) {
  double likeliest = 0;
  for (const wording::WordingScore& score : scores) {
    if (score.start < match.end && score.end > match.start) likeliest = std::max(likeliest, score.weight);
  }
  return std::clamp(likeliest / kLikelyWording, kDoubted, 1.0);
}

// The reading of the place is language, but the place itself is not.
bool IsLanguage(const rules::Scanned& scanned, const wording::WordingScore& score) {
  // A reading may run backwards.
  const auto [first, last] = std::minmax({scanned.RawOffset(score.start), scanned.RawOffset(score.end - 1)});
  return text::ReadsAsLanguage(scanned.text.substr(score.start, score.end - score.start),
                               scanned.raw.substr(first, last + 1 - first));
}

}  // namespace

DetectionRun::DetectionRun(const models::DetectionModel& model, size_t max_decoded_bytes, int max_decode_depth,
                           uint32_t base, KnownFindings& known, Detection& detection)
    : model_(model),
      max_decode_depth_(max_decode_depth),
      base_(base),
      known_(known),
      detection_(detection),
      words_(WordsOfThread()),
      budget_(max_decoded_bytes) {}

void DetectionRun::Run(std::string_view window, Effort effort) {
  work_ = WorkBudget(window.size());
  const text::Readability readability = text::ReadabilityOf(window);
  const bool is_binary = readability.is_binary();
  if (is_binary) AddUnreadable(kBinary);
  if (is_binary || effort == Effort::kAsWritten) {
    ReadAsWritten(window);
    if (effort == Effort::kAllReadings) {
      ReadRuns(window, readability.runs);
    } else {
      work_.RunOut();
    }
  } else {
    ReadAll(window, {.free = true});
  }
  ReadWaiting();
  if (work_.ran_out()) AddUnreadable(kTooMuchWork);
}

void DetectionRun::ReadAsWritten(std::string_view window) {
  SourceText source(window, /*may_decode=*/false, in_torn_words_, words_, budget_);
  ReadStage(Stage::kAsWritten, source, {.free = true});
}

void DetectionRun::ReadRuns(std::string_view window, const std::vector<text::Stretch>& runs) {
  text::TextView readable;
  text::JoinRuns(window, runs, readable);
  if (!readable.text.empty()) ReadAll(readable.text, {.way = &readable, .free = true});
}

void DetectionRun::ReadWaiting() {
  while (!waiting_.empty()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= next.view.text.size();
    next.place.way = &next.view;
    in_torn_words_ = next.in_torn_words;
    ReadAll(next.view.text, next.place);
  }
}

void DetectionRun::ReadStage(Stage stage, SourceText& source, const Place& place) {
  const ReadingStage& of_stage = ReadingsOf(stage);
  if (!source.HasAny(of_stage.triggers)) return;
  for (const Reading& reading : of_stage.readings) {
    if (source.Has(reading.when)) Take(reading, source, place);
  }
}

void DetectionRun::ReadAll(std::string_view raw, const Place& place) {
  ++readings_;
  SourceText source(raw, place.depth < max_decode_depth_, in_torn_words_, words_, budget_);
  for (const Stage stage : kStages) {
    if (stage == Stage::kFolded) source.Settle();
    ReadStage(stage, source, place);
  }
  // Done only now, so that all encodings of this text are decoded before the budget is spent on nested ones.
  for (size_t i = 0; i < source.decoded.size(); ++i) ReadAgain(*source.decoded_by[i], source.decoded[i], place);
}

void DetectionRun::Take(const Reading& reading, SourceText& source, const Place& place) {
  if (!place.free && !work_.Spend(StepsOf(reading.cost) * source.raw.size())) return;
  if (reading.make == nullptr) {
    Scan(reading, nullptr, source, place);
    return;
  }
  text::TextView* const view = reading.make(source, reading.share);
  if (reading.cost == Cost::kDecode) source.decoded_by.resize(source.decoded.size(), &reading);
  if (view == nullptr) return;
  switch (reading.cost) {
    case Cost::kScan:
      Scan(reading, view, source, place);
      break;
    case Cost::kSplit:
      if (text::TextView words; model_.segmenter().Split(*view, words)) Scan(reading, &words, source, place);
      break;
    case Cost::kReadAgain:
      ReadAgain(reading, *view, place);
      break;
    case Cost::kDecode:
      break;
  }
}

void DetectionRun::Scan(const Reading& reading, text::TextView* view, SourceText& source, const Place& place) {
  const std::string_view text = view == nullptr ? source.raw : std::string_view(view->text);
  const rules::Scanned scanned = {text, source.raw, view, reading.share == kAnywhere ? nullptr : &*source.spans};
  const DisguiseRow& plain = RowOf(reading.disguise);
  const Look look = {scanned, place, place.depth == 0 ? plain : RowOf(plain.within_decoded),
                     place.reading.empty() ? reading.name : place.reading};
  // Words of the unchanged text were read with its shape.
  if (view != nullptr) text::ReadWords(text, words_);
  rules::Hints ignored;
  switch (reading.role) {
    case Role::kBase:
      LookAt(look, source.hints);
      if (source.Has(trigger::kUnicode)) AddHidden(source.hidden, look);
      if (view != nullptr && view != &source.folded) source.folded = std::move(*view);
      break;
    case Role::kRespelling:
      LookAt(look, source.respelt_hints);
      source.SettleRespelt();
      break;
    case Role::kFinal:
      LookAt(look, ignored);
      break;
  }
}

void DetectionRun::ReadAgain(const Reading& reading, text::TextView& view, const Place& place) {
  if (place.way != nullptr) {
    for (uint32_t& origin : view.origin) origin = place.way->origin[origin];
  }
  const bool plain = reading.disguise == Disguise::kNone;
  const bool was_in_torn_words = std::exchange(in_torn_words_, in_torn_words_ || plain);
  Queue(std::move(view),
        {.depth = place.depth + (plain ? 0 : 1), .reading = place.reading.empty() ? reading.name : place.reading});
  in_torn_words_ = was_in_torn_words;
}

void DetectionRun::Queue(text::TextView view, const Place& place) {
  const size_t size = view.text.size();
  if (size <= kShortText) {
    if (readings_ >= kMaxReadings) return work_.RunOut();
    Place here = place;
    here.way = &view;
    return ReadAll(view.text, here);
  }
  // A text that could not be scanned even once only takes memory.
  if ((waiting_bytes_ + size) * StepsOf(Cost::kScan) > work_.left()) return work_.RunOut();
  waiting_bytes_ += size;
  waiting_.push_back({std::move(view), place, in_torn_words_});
}

void DetectionRun::LookAt(const Look& look, rules::Hints& hints) {
  thread_local std::vector<rules::LiteralMatch> literals;
  thread_local std::vector<rules::RuleMatch> matches;
  thread_local std::vector<rules::ClassSighting> sightings;
  thread_local std::vector<wording::WordingScore> scores;
  const rules::Scanned& scanned = look.scanned;
  if (scanned.unspaced()) {
    model_.matcher().ScanInsideWords(scanned.text, literals);
  } else {
    model_.matcher().Scan(scanned.text, words_, literals);
  }
  matches.clear();
  model_.evaluator().Evaluate(scanned, literals, matches, hints, sightings);
  if (literals.capacity() > kManyLiterals) std::vector<rules::LiteralMatch>().swap(literals);
  scores.clear();
  const bool judged = !scanned.unspaced() && Judge(look, {sightings, matches}, scores);
  AddRules(look, matches, scores, judged);
  if (judged) AddWording(look, scores, matches);
}

bool DetectionRun::Judge(const Look& look, const wording::PhraseEvidence& evidence,
                         std::vector<wording::WordingScore>& scores) const {
  const bool plain = look.disguise.disguise == Disguise::kNone;
  // The wording of a plain text only strengthens rules.
  if (plain && evidence.matches.empty()) return false;
  // It is a disguise only if it hides the wording.
  if (!plain && plain_wording_ > kPlainWording) return false;
  const std::string_view text = look.scanned.text;
  const bool has_rule = std::any_of(
      evidence.matches.begin(), evidence.matches.end(),
      [&](const rules::RuleMatch& match) { return model_.rules().rules()[match.rule].family != kSignalFamily; });
  if (!has_rule && text.size() <= kFewBytes) return false;
  model_.wording().Score(text, words_, evidence, scores);
  return model_.wording().knows_anything();
}

void DetectionRun::AddRules(const Look& look, const std::vector<rules::RuleMatch>& matches,
                            const std::vector<wording::WordingScore>& scores, bool judged) {
  const bool plain = look.disguise.disguise == Disguise::kNone;
  for (const rules::RuleMatch& match : matches) {
    const rules::Rule& rule = model_.rules().rules()[match.rule];
    const uint32_t offset = Offset(look.scanned.RawOffset(match.start), look.place);
    const bool doubtful = judged && plain && !rule.certain && !IsBeyondDoubt(match, matches) &&
                          wording::Wording::CanRead(look.scanned.text.substr(match.start, match.end - match.start));
    const double doubt = doubtful ? DoubtOf(match, scores) : 1;
    const double weight = rule.weight * FactorOf(match.excuse) * doubt;
    const bool seen_undisguised = !plain && Knows(rule);
    const bool excused = match.excuse != rules::Excuse::kNone;
    const bool is_new = Add({rule.id, rule.family, weight, offset, excused, doubt < 1, look.reading});
    if (!is_new || seen_undisguised || weight < look.disguise.least_rule || rule.family == kSignalFamily) continue;
    if (look.disguise.evidence != nullptr) AddEvidence(*look.disguise.evidence, offset, look);
  }
}

bool DetectionRun::IsBeyondDoubt(const rules::RuleMatch& match, const std::vector<rules::RuleMatch>& matches) const {
  const std::vector<rules::Rule>& rules = model_.rules().rules();
  const auto is_strong = [&](const rules::RuleMatch& m) { return rules[m.rule].weight >= kStrongRule; };
  return is_strong(match) && std::any_of(matches.begin(), matches.end(), [&](const rules::RuleMatch& other) {
           return is_strong(other) && rules[other.rule].family != rules[match.rule].family &&
                  other.start < match.end + kNearRules && match.start < other.end + kNearRules;
         });
}

void DetectionRun::AddWording(const Look& look, const std::vector<wording::WordingScore>& scores,
                              const std::vector<rules::RuleMatch>& matches) {
  const bool plain = look.disguise.disguise == Disguise::kNone;
  for (const wording::WordingScore& score : scores) {
    if (score.weight < look.disguise.least_wording || !look.scanned.MayCount(score.start, score.end)) continue;
    const auto matched = std::find_if(matches.begin(), matches.end(), [&](const rules::RuleMatch& match) {
      return match.start < score.end && match.end > score.start;
    });
    const bool has_rule = matched != matches.end();
    if (plain && !has_rule) continue;
    // Any reading can make something of a table, or of another language.
    const bool doubtful = !has_rule || (!look.disguise.deliberate && score.weight < look.disguise.sure_wording);
    if (doubtful && !IsLanguage(look.scanned, score)) continue;
    if (plain) plain_wording_ = std::max(plain_wording_, score.weight);
    Evidence evidence = kWording;
    evidence.weight = score.weight;
    // In the place of the rule, so that both are in the same sentences.
    const uint32_t offset = Offset(look.scanned.RawOffset(has_rule ? matched->start : score.start), look.place);
    AddEvidence(evidence, offset, look);
    // Attacks that no rule names are told by their disguise.
    if (!has_rule && look.disguise.evidence != nullptr && score.weight >= kPlainWording) {
      AddEvidence(*look.disguise.evidence, offset, look);
    }
  }
}

void DetectionRun::AddHidden(const text::HiddenText& hidden, const Look& look) {
  for (const HiddenCharacters& row : kHiddenCharacters) {
    if (hidden.*row.count >= row.least) AddEvidence(row.evidence, Offset(hidden.*row.offset, look.place), look);
  }
}

bool DetectionRun::Knows(const rules::Rule& rule) const {
  constexpr size_t kMostFindings = 128;
  const size_t size = std::min(detection_.findings.size(), kMostFindings);
  return std::any_of(detection_.findings.begin(), detection_.findings.begin() + static_cast<ptrdiff_t>(size),
                     [&](const DetectedRule& known) { return known.rule_id.data() == rule.id.data(); });
}

void DetectionRun::AddEvidence(const Evidence& evidence, uint32_t offset, const Look& look) {
  Add({evidence.rule_id, evidence.family, evidence.weight, offset, false, false, look.reading});
}

void DetectionRun::AddUnreadable(const Evidence& evidence) {
  const auto is_known = [&](const DetectedRule& known) { return known.rule_id == evidence.rule_id; };
  if (std::any_of(detection_.unreadable.begin(), detection_.unreadable.end(), is_known)) return;
  detection_.unreadable.push_back({evidence.rule_id, evidence.family, evidence.weight, base_, false, false, {}});
}

bool DetectionRun::Add(const DetectedRule& finding) {
  if (detection_.findings.size() >= kMaxFindings || !known_.emplace(finding.rule_id.data(), finding.offset).second) {
    return false;
  }
  detection_.findings.push_back(finding);
  return true;
}

}  // namespace toolgate::security::injection_defence
