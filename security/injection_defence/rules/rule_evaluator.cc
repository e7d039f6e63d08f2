#include "security/injection_defence/rules/rule_evaluator.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "security/injection_defence/text/normaliser.h"

namespace toolgate::security::injection_defence::rules {
namespace {

// Shorter words would be found everywhere in a text without blanks.
constexpr size_t kMinUnspacedBytes = 4;
// Distance from a quoted match within which a word like "attack" makes it a quotation about attacks.
constexpr uint32_t kAboutBefore = 240;
constexpr uint32_t kAboutAfter = 120;
// Distances of the marks of a quotation from its match.
constexpr uint32_t kQuoteBefore = 60;
constexpr uint32_t kQuoteAfter = 400;
// Distance of a word from the object that it belongs to: "recipe instructions", "instructions in the recipe".
constexpr uint32_t kModifierBefore = 20;
constexpr uint32_t kModifierAfter = 44;

// Greatest distance of the two slots of a phrase: "instructions *that you have* received".
constexpr uint32_t kPhraseGap = 16;

// The last place of a slot.
struct SlotState {
  uint32_t run = 0;  // Valid only in the run of this number.
  uint32_t start = 0;
  uint32_t end = 0;
  uint32_t chain_start = 0;   // Ordered rules: place of the first slot of the chain that ends here,
  uint32_t object_start = 0;  // … and its object.
  uint32_t object_end = 0;
  uint32_t sentence = 0;
  bool reported = false;  // The verb of the chain, or of this slot, is reported and not an order.
};

// A class of some rule's `harmless_object`, or a negation, at a place.
struct Modifier {
  uint16_t cls;
  uint32_t start;
  uint32_t end;
};

// The last place of a class, and the one before: "I don't" is two reports, the second of which may be the verb.
struct GuardState {
  uint32_t run = 0;
  uint32_t end = 0;
  uint32_t sentence = 0;
  uint32_t end_before = 0;
  uint32_t sentence_before = 0;
};

// Memory that a thread keeps between runs, so that runs allocate nothing.
struct Workspace {
  std::vector<SlotState> slots;
  std::vector<GuardState> guards;
  std::vector<uint16_t> reported;
  std::vector<uint32_t> classes;    // By class: the run in which it was seen.
  std::vector<uint8_t> slots_seen;  // By rule: one bit for each slot with a word in the text.
  std::vector<uint32_t> slots_run;  // By rule: the run for which these are valid.
  std::vector<uint32_t> about;
  std::vector<Modifier> modifiers;  // Ordered by end.
  uint32_t run = 0;
};

bool IsAsciiWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool WordBefore(std::string_view text, uint32_t at) {
  if (at == 0) return false;
  if (static_cast<uint8_t>(text[at - 1]) < 0x80) return IsAsciiWord(text[at - 1]);
  return text::EndsWithWordCharacter(text.substr(0, at));
}

bool WordAfter(std::string_view text, uint32_t at) {
  if (at >= text.size()) return false;
  if (static_cast<uint8_t>(text[at]) < 0x80) return IsAsciiWord(text[at]);
  return text::StartsWithWordCharacter(text.substr(at));
}

bool AtLineStart(std::string_view raw, uint32_t at) {
  constexpr uint32_t kMaxMarks = 16;
  for (uint32_t i = at; i > 0; --i) {
    const char c = raw[i - 1];
    if (c == '\n') return true;
    if (at - i >= kMaxMarks || std::string_view(" \t\r#*>-_=~|\"'`[(<{:/!").find(c) == std::string_view::npos)
      return false;
  }
  return true;
}

bool IsBlankOrOpening(char c) { return std::string_view(" \t\r\n([{=:,-").find(c) != std::string_view::npos; }

// True if the three bytes that end at `last` are a mark of the two given first bytes and one of the last bytes.
bool IsMark(std::string_view raw, uint32_t last, std::string_view first, std::string_view lasts) {
  return last >= 2 && raw.substr(last - 2, 2) == first && lasts.find(raw[last]) != std::string_view::npos;
}

// Length of the quotation mark that ends before `end`, or 0.
uint32_t QuoteBefore(std::string_view raw, uint32_t end) {
  const auto c = static_cast<uint8_t>(raw[end - 1]);
  if (c == '"' || c == '\'' || c == '`') return 1;
  if (end >= 2 && c == 0xAB && static_cast<uint8_t>(raw[end - 2]) == 0xC2) return 2;
  return IsMark(raw, end - 1, "\xE2\x80", "\x98\x9A\x9C\x9E") || IsMark(raw, end - 1, "\xE3\x80", "\x8C\x8E") ? 3 : 0;
}

// True if a quotation may close with the byte at `at`. Those that are apostrophes as well, or open a quotation, do not
// close one within a word.
bool ClosesQuote(std::string_view raw, uint32_t at) {
  const auto c = static_cast<uint8_t>(raw[at]);
  if (IsMark(raw, at, "\xE2\x80", "\x9D") || IsMark(raw, at, "\xE3\x80", "\x8D\x8F")) return true;
  if (c == 0xBB && at > 0 && static_cast<uint8_t>(raw[at - 1]) == 0xC2) return true;
  const bool may = c == '"' || c == '\'' || c == '`' || IsMark(raw, at, "\xE2\x80", "\x99\x9C");
  return may && raw[at - 1] != ' ' && !WordAfter(raw, at + 1);
}

// True in quotation marks: one opens shortly before `start` on its line, one closes after it.
bool IsQuoted(std::string_view raw, uint32_t start) {
  bool opened = false;
  for (uint32_t i = start; i > 0 && start - i < kQuoteBefore && raw[i - 1] != '\n' && !opened; --i) {
    const uint32_t mark = QuoteBefore(raw, i);
    if (mark == 0 || (i < raw.size() && raw[i] == ' ')) continue;
    opened = i == mark || IsBlankOrOpening(raw[i - mark - 1]) || mark > 1;
  }
  if (!opened) return false;
  const auto limit = static_cast<uint32_t>(std::min<size_t>(raw.size(), size_t{start} + kQuoteAfter));
  for (uint32_t i = start + 1; i < limit; ++i) {
    if (ClosesQuote(raw, i)) return true;
  }
  return false;
}

// True if nothing between them ends a clause.
bool SameClause(std::string_view between) {
  return between.find_first_of(",.;:!?()[]{}\n\"") == std::string_view::npos;
}

// A word that reports one verb does not report the next: "what I comment and reveal".
bool SameOrder(std::string_view between) {
  return SameClause(between) && between.find(" and ") == std::string_view::npos;
}

// "instructions *in* the recipe": a preposition that connects the following words to the noun.
bool StartsWithPreposition(std::string_view text) {
  constexpr std::string_view kPrepositions[] = {" of ",    " from ",   " in ",     " on ",       " for ",
                                                " by ",    " about ",  " at ",     " to ",       " with ",
                                                " under ", " inside ", " within ", " given by ", " regarding ",
                                                " is in ", " are in ", " is on ",  " are on "};
  return std::any_of(std::begin(kPrepositions), std::end(kPrepositions),
                     [&](std::string_view word) { return text.substr(0, word.size()) == word; });
}

}  // namespace

RuleEvaluator::RuleEvaluator(const RuleSet& rules)
    : rules_(rules),
      uses_(rules.class_names().size()),
      is_guard_(rules.class_names().size(), false),
      is_modifier_(rules.class_names().size(), false),
      negated_class_(rules.FindClass("negated")),
      order_lead_class_(rules.FindClass("order_lead")),
      own_place_class_(rules.FindClass("own_place")),
      break_class_(rules.FindClass("break")),
      about_class_(rules.FindClass("about_attacks")),
      reversed_class_(rules.FindClass("hint.reversed")),
      rot13_class_(rules.FindClass("hint.rot13")) {
  if (negated_class_ >= 0) is_modifier_[static_cast<size_t>(negated_class_)] = true;
  if (own_place_class_ >= 0) is_modifier_[static_cast<size_t>(own_place_class_)] = true;
  if (order_lead_class_ >= 0) is_guard_[static_cast<size_t>(order_lead_class_)] = true;
  uint16_t r = 0;
  for (const Rule& rule : rules.rules()) {
    first_slot_.push_back(slot_count_);
    all_slots_.push_back(static_cast<uint8_t>((1u << rule.slots.size()) - 1));
    uint16_t s = 0;
    for (const Slot& slot : rule.slots) {
      for (const uint16_t c : slot) uses_[c].push_back({r, s});
      ++s;
    }
    slot_count_ += s;
    for (const uint16_t c : rule.unless) is_guard_[c] = true;
    for (const uint16_t c : rule.harmless_object) is_modifier_[c] = true;
    ++r;
  }
}

// One Evaluate.
class EvaluationRun {
 public:
  EvaluationRun(const RuleEvaluator& evaluator, const Scanned& scanned, Workspace& workspace,
                std::vector<RuleMatch>& out, Hints& hints, std::vector<ClassSighting>& sightings)
      : e_(evaluator), scanned_(scanned), w_(workspace), out_(out), hints_(hints), sightings_(sightings) {
    w_.slots.resize(std::max<size_t>(w_.slots.size(), e_.slot_count_));
    w_.guards.resize(std::max<size_t>(w_.guards.size(), e_.uses_.size()));
    w_.classes.resize(std::max<size_t>(w_.classes.size(), e_.uses_.size()));
    w_.slots_seen.resize(std::max<size_t>(w_.slots_seen.size(), e_.rules_.rules().size()));
    w_.slots_run.resize(std::max<size_t>(w_.slots_run.size(), e_.rules_.rules().size()));
    ++w_.run;
  }

  // True if some rule has a word for each of its slots anywhere in the text. Most texts have none, and end here.
  bool AnyPossible(const std::vector<LiteralMatch>& matches) {
    bool any = false;
    for (const LiteralMatch& match : matches) {
      const Literal& literal = e_.rules_.literals()[match.literal];
      for (const uint16_t c : literal.classes) {
        if (c == e_.reversed_class_ || c == e_.rot13_class_) {
          if (Holds(literal, match)) ++(c == e_.rot13_class_ ? hints_.rot13 : hints_.reversed);
          continue;
        }
        if (w_.classes[c] == w_.run) continue;
        w_.classes[c] = w_.run;
        for (const RuleEvaluator::Use use : e_.uses_[c]) {
          if (w_.slots_run[use.rule] != w_.run) w_.slots_seen[use.rule] = 0;
          w_.slots_run[use.rule] = w_.run;
          w_.slots_seen[use.rule] |= static_cast<uint8_t>(1u << use.slot);
          any |= IsPossible(use.rule);
        }
      }
    }
    return any;
  }

  void Run(const std::vector<LiteralMatch>& matches) {
    if (!AnyPossible(matches)) return;
    w_.reported.assign(e_.rules_.rules().size(), 0);
    w_.about.clear();
    w_.modifiers.clear();
    const size_t first = out_.size();
    for (const LiteralMatch& match : matches) {
      const Literal& literal = e_.rules_.literals()[match.literal];
      if (!Holds(literal, match)) continue;
      for (const uint16_t c : literal.classes) See(c, match);
    }
    for (size_t i = first; i < out_.size(); ++i) {
      if (out_[i].excuse == Excuse::kNone && HasHarmlessObject(out_[i])) out_[i].excuse = Excuse::kObject;
      if (Negated(out_[i])) out_[i].excuse = Excuse::kReported;
      if (Discussed(out_[i])) out_[i].excuse = Excuse::kDiscussed;
    }
  }

 private:
  bool Holds(const Literal& literal, const LiteralMatch& match) const {
    if (scanned_.unspaced()) {
      return literal.text.size() >= kMinUnspacedBytes && !literal.exact_case && !literal.line_start &&
             !literal.grammar_only;
    }
    if (literal.left_boundary && WordBefore(scanned_.text, match.start)) return false;
    if (literal.right_boundary && WordAfter(scanned_.text, match.end)) return false;
    const uint32_t raw = scanned_.RawOffset(match.start);
    if (literal.line_start && !AtLineStart(scanned_.raw, raw)) return false;
    return !literal.exact_case || scanned_.raw.substr(raw, literal.cased.size()) == literal.cased;
  }

  void See(uint16_t c, const LiteralMatch& match) {
    sightings_.push_back({c, match.start, match.end});
    if (c == e_.break_class_) {
      ++sentence_;
      return;
    }
    if (c == e_.about_class_) w_.about.push_back(match.start);
    if (e_.is_guard_[c]) NoteGuard(w_.guards[c], match);
    if (e_.is_modifier_[c]) w_.modifiers.push_back({c, match.start, match.end});
    for (const RuleEvaluator::Use use : e_.uses_[c]) {
      if (IsPossible(use.rule)) Advance(use, match);
    }
  }

  bool IsPossible(uint16_t rule) const {
    return w_.slots_run[rule] == w_.run && w_.slots_seen[rule] == e_.all_slots_[rule];
  }

  void NoteGuard(GuardState& guard, const LiteralMatch& match) const {
    const bool known = guard.run == w_.run;
    guard = {w_.run, match.end, sentence_, known ? guard.end : 0, known ? guard.sentence : 0};
  }

  void Advance(RuleEvaluator::Use use, const LiteralMatch& match) {
    const Rule& rule = e_.rules_.rules()[use.rule];
    SlotState* slots = &w_.slots[e_.first_slot_[use.rule]];
    SlotState next{w_.run, match.start, match.end, match.start, match.start, match.end, sentence_};
    if (rule.ordered && use.slot > 0) {
      const SlotState& before = slots[use.slot - 1];
      if (!Near(rule, before, match) || before.end > match.start) return;
      next.chain_start = before.chain_start;
      next.reported = before.reported;
      if (use.slot > rule.object) {
        next.object_start = before.object_start;
        next.object_end = before.object_end;
      }
    }
    SlotState& here = slots[use.slot];
    if (use.slot == rule.verb && ((!rule.unless.empty() && Guarded(rule, match)) || !MayOrder(rule, match))) {
      // A report after an order does not take the order back.
      if (here.run == w_.run && !here.reported && Near(rule, here, match)) return;
      next.reported = true;
    }
    here = next;
    if (!rule.ordered) {
      Complete(use, rule, slots, match);
    } else if (use.slot + 1u == rule.slots.size()) {
      Report(use.rule, next, next.chain_start, match.end, next.chain_start);
    }
  }

  // Scripts other than Latin take two or three bytes for a letter.
  uint32_t Within(const Rule& rule, const LiteralMatch& match) const {
    return static_cast<uint8_t>(scanned_.text[match.start]) < 0x80 ? rule.within : rule.within * 2;
  }

  bool Near(const Rule& rule, const SlotState& slot, const LiteralMatch& match) const {
    return slot.run == w_.run && match.end - slot.chain_start <= Within(rule, match) &&
           (rule.across_sentences || slot.sentence == sentence_);
  }

  bool Guarded(const Rule& rule, const LiteralMatch& match) const {
    const auto reports = [&](uint32_t end, uint32_t sentence) {
      // "to" reports, "you are to" orders.
      return end != 0 && !IsLead(end) && end <= match.start && match.start - end <= rule.unless_within &&
             sentence == sentence_ && SameOrder(scanned_.text.substr(end, match.start - end));
    };
    return std::any_of(rule.unless.begin(), rule.unless.end(), [&](uint16_t c) {
      const GuardState& guard = w_.guards[c];
      return guard.run == w_.run &&
             (reports(guard.end, guard.sentence) || reports(guard.end_before, guard.sentence_before));
    });
  }

  // False for a verb that a rule wants in the imperative, in a place where no order begins.
  bool MayOrder(const Rule& rule, const LiteralMatch& match) const {
    if (!rule.imperative || e_.order_lead_class_ < 0) return true;
    const std::string_view before = scanned_.text.substr(0, match.start);
    const size_t last = before.find_last_not_of(" \t\r\n");
    if (last == std::string_view::npos || last + 2 < match.start ||
        !WordBefore(before, static_cast<uint32_t>(last + 1))) {
      return true;
    }
    return IsLead(static_cast<uint32_t>(last + 1));
  }

  // True if a word that introduces an order ends here.
  bool IsLead(uint32_t end) const {
    if (e_.order_lead_class_ < 0) return false;
    const GuardState& lead = w_.guards[static_cast<size_t>(e_.order_lead_class_)];
    return lead.run == w_.run && end != 0 && (lead.end == end || lead.end_before == end);
  }

  // True if the two are words of one noun phrase, whichever comes first.
  bool IsPhrase(const SlotState& one, const SlotState& other) const {
    const SlotState& first = one.start < other.start ? one : other;
    const SlotState& second = one.start < other.start ? other : one;
    if (second.start < first.end) return false;
    const uint32_t gap = static_cast<uint8_t>(scanned_.text[second.start]) < 0x80 ? kPhraseGap : kPhraseGap * 2;
    return second.start - first.end <= gap && SameClause(scanned_.text.substr(first.end, second.start - first.end));
  }

  // In any order: every other slot must have been seen close by, in a place of its own.
  void Complete(RuleEvaluator::Use use, const Rule& rule, const SlotState* slots, const LiteralMatch& match) {
    uint32_t start = match.start;
    for (size_t s = 0; s < rule.slots.size(); ++s) {
      if (s == use.slot) continue;
      if (!Near(rule, slots[s], match)) return;
      if (slots[s].end > match.start && slots[s].start < match.end) return;
      start = std::min(start, slots[s].start);
    }
    if (!rule.phrase.empty() && !IsPhrase(slots[rule.phrase[0]], slots[rule.phrase[1]])) return;
    SlotState whole = slots[rule.object];
    whole.reported = slots[rule.verb].reported;
    Report(use.rule, whole, start, match.end, slots[0].start);
  }

  void Report(uint16_t rule, const SlotState& state, uint32_t start, uint32_t end, uint32_t anchor) {
    if (w_.reported[rule] >= RuleEvaluator::kMaxMatchesPerRule || !scanned_.MayCount(start, end)) return;
    const RuleMatch match = {rule,
                             start,
                             end,
                             anchor,
                             state.object_start,
                             state.object_end,
                             sentence_,
                             state.reported ? Excuse::kReported : Excuse::kNone};
    // The longer of two objects in one place is more specific: "everything", "everything above".
    for (auto known = out_.rbegin(); known != out_.rend() && known->rule == rule; ++known) {
      if (known->anchor == anchor && known->object_start == match.object_start) {
        *known = match;
        return;
      }
    }
    ++w_.reported[rule];
    out_.push_back(match);
  }

  // The first of the modifiers that may end at or after `at`.
  std::vector<Modifier>::const_iterator ModifiersFrom(uint32_t at) const {
    return std::lower_bound(w_.modifiers.begin(), w_.modifiers.end(), at,
                            [](const Modifier& m, uint32_t wanted) { return m.end < wanted; });
  }

  // "Vergiss nicht": the first slot is part of a negation.
  bool Negated(const RuleMatch& match) const {
    for (auto m = ModifiersFrom(match.anchor); m != w_.modifiers.end() && m->start <= match.end; ++m) {
      if (m->cls == e_.negated_class_ && m->start <= match.anchor && match.anchor < m->end) return true;
    }
    return false;
  }

  // True if the object is something of everyday life by its own noun phrase: "the recipe's earlier instructions", "the
  // rules of the game". Words elsewhere do not excuse, because an attacker could put them there.
  bool HasHarmlessObject(const RuleMatch& match) const {
    const Rule& rule = e_.rules_.rules()[match.rule];
    if (rule.plain_object && GoesOn(match)) return true;
    if (match.object_end < match.anchor && IsListed(scanned_.text, match.object_end, match.anchor)) return true;
    if (rule.harmless_object.empty()) return false;
    const uint32_t from = match.object_start < kModifierBefore ? 0 : match.object_start - kModifierBefore;
    for (auto m = ModifiersFrom(from); m != w_.modifiers.end() && m->start <= match.object_end + kModifierAfter; ++m) {
      if (BelongsTo(*m, match) &&
          std::find(rule.harmless_object.begin(), rule.harmless_object.end(), m->cls) != rule.harmless_object.end()) {
        return true;
      }
    }
    return false;
  }

  // "Mails are full of orders: click here, forget it": the topic of a list is not the object of its items.
  static bool IsListed(std::string_view text, uint32_t object_end, uint32_t anchor) {
    const std::string_view between = text.substr(object_end, anchor - object_end);
    return between.find(": ") != std::string_view::npos && between.find(", ") != std::string_view::npos;
  }

  // "the instructions on the packet": a preposition and a noun, unless that is the reader's own.
  bool GoesOn(const RuleMatch& match) const {
    const std::string_view after = scanned_.text.substr(match.object_end);
    if (!StartsWithPreposition(after)) return false;
    auto m = ModifiersFrom(match.object_end);
    for (; m != w_.modifiers.end() && m->start <= match.object_end + kModifierAfter; ++m) {
      if (m->cls == e_.own_place_class_ && m->start >= match.object_end) return false;
    }
    return true;
  }

  bool BelongsTo(const Modifier& m, const RuleMatch& match) const {
    const std::string_view text = scanned_.text;
    if (m.start < match.start) return false;
    // "this message" is the text itself.
    if (m.start >= 5 && text.substr(m.start - 5, 5) == "this ") return false;
    if (m.start < match.object_end) {
      return m.end >= match.object_start || SameClause(text.substr(m.end, match.object_start - m.end));
    }
    const std::string_view between = text.substr(match.object_end, m.start - match.object_end);
    return between == " " || between.empty() ||
           (StartsWithPreposition(between) && SameClause(between) && between.find(" and ") == std::string_view::npos);
  }

  bool Discussed(const RuleMatch& match) const {
    if (w_.about.empty() || !IsQuoted(scanned_.raw, scanned_.RawOffset(match.anchor))) {
      return false;
    }
    return std::any_of(w_.about.begin(), w_.about.end(), [&](uint32_t at) {
      return at < match.start ? match.start - at <= kAboutBefore : at >= match.end && at - match.end <= kAboutAfter;
    });
  }

  const RuleEvaluator& e_;
  const Scanned& scanned_;
  Workspace& w_;
  std::vector<RuleMatch>& out_;
  Hints& hints_;
  std::vector<ClassSighting>& sightings_;
  uint32_t sentence_ = 0;
};

void RuleEvaluator::Evaluate(const Scanned& scanned, const std::vector<LiteralMatch>& matches,
                             std::vector<RuleMatch>& out, Hints& hints, std::vector<ClassSighting>& sightings) const {
  sightings.clear();
  if (matches.empty()) return;
  thread_local Workspace workspace;
  EvaluationRun(*this, scanned, workspace, out, hints, sightings).Run(matches);
}

}  // namespace toolgate::security::injection_defence::rules
