#include "security/injection_defence/rule_evaluator.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "security/injection_defence/normaliser.h"

namespace toolgate::security::injection_defence {
namespace {

// In a text without blanks, shorter words would be seen everywhere.
constexpr size_t kMinUnspacedBytes = 4;
// How far from a quoted match a word like "attack" makes it a quotation about attacks.
constexpr uint32_t kAboutBefore = 240;
constexpr uint32_t kAboutAfter = 120;

// Where a slot was last seen.
struct SlotState {
  uint32_t run = 0;  // Valid only in the run of this number.
  uint32_t start = 0;
  uint32_t end = 0;
  uint32_t chain_start = 0;  // Ordered rules: where the first slot of the chain that ends here was seen.
  uint32_t sentence = 0;
};

// A class of some rule's `unless_near`, at a place.
struct NearGuard {
  uint16_t cls;
  uint32_t start;
  uint32_t end;
  uint32_t sentence;
};

struct GuardState {
  uint32_t run = 0;
  uint32_t end = 0;
  uint32_t sentence = 0;
};

// What one thread keeps between runs, so that a run allocates nothing.
struct Workspace {
  std::vector<SlotState> slots;
  std::vector<GuardState> guards;
  std::vector<uint16_t> reported;
  std::vector<uint32_t> about;
  std::vector<NearGuard> near_guards;  // Ordered by end.
  uint32_t run = 0;
};

bool IsAsciiWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool WordBefore(std::string_view text, uint32_t at) {
  if (at == 0) return false;
  if (static_cast<uint8_t>(text[at - 1]) < 0x80) return IsAsciiWord(text[at - 1]);
  return EndsWithWordCharacter(text.substr(0, at));
}

bool WordAfter(std::string_view text, uint32_t at) {
  if (at >= text.size()) return false;
  if (static_cast<uint8_t>(text[at]) < 0x80) return IsAsciiWord(text[at]);
  return StartsWithWordCharacter(text.substr(at));
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

// An opening quotation mark right before `at`, perhaps with up to two characters between.
bool AfterQuote(std::string_view raw, uint32_t at) {
  for (uint32_t i = at; i > 0 && at - i < 3; --i) {
    const auto c = static_cast<uint8_t>(raw[i - 1]);
    if (c == '"' || c == '\'' || c == '`' || c == 0x9C || c == 0x98 || c == 0x9E || c == 0xAB) return true;
  }
  return false;
}

}  // namespace

RuleEvaluator::RuleEvaluator(const RuleSet& rules)
    : rules_(rules),
      uses_(rules.class_names().size()),
      is_guard_(rules.class_names().size(), false),
      is_near_guard_(rules.class_names().size(), false),
      negated_class_(rules.FindClass("negated")),
      break_class_(rules.FindClass("break")),
      about_class_(rules.FindClass("about_attacks")),
      reversed_class_(rules.FindClass("hint.reversed")),
      rot13_class_(rules.FindClass("hint.rot13")) {
  if (negated_class_ >= 0) is_near_guard_[static_cast<size_t>(negated_class_)] = true;
  for (uint16_t r = 0; r < rules.rules().size(); ++r) {
    const Rule& rule = rules.rules()[r];
    first_slot_.push_back(slot_count_);
    for (uint16_t s = 0; s < rule.slots.size(); ++s) {
      for (const uint16_t c : rule.slots[s]) uses_[c].push_back({r, s});
      ++slot_count_;
    }
    for (const uint16_t c : rule.unless) is_guard_[c] = true;
    for (const uint16_t c : rule.unless_near) is_near_guard_[c] = true;
  }
}

// One Evaluate.
class EvaluationRun {
 public:
  EvaluationRun(const RuleEvaluator& evaluator, const Scanned& scanned, Workspace& workspace,
                std::vector<RuleMatch>& out, Hints& hints)
      : e_(evaluator), scanned_(scanned), w_(workspace), out_(out), hints_(hints) {
    w_.slots.resize(std::max<size_t>(w_.slots.size(), e_.slot_count_));
    w_.guards.resize(std::max<size_t>(w_.guards.size(), e_.uses_.size()));
    w_.reported.assign(e_.rules_.rules().size(), 0);
    w_.about.clear();
    w_.near_guards.clear();
    ++w_.run;
  }

  void Run(const std::vector<LiteralMatch>& matches) {
    const size_t first = out_.size();
    for (const LiteralMatch& match : matches) {
      const Literal& literal = e_.rules_.literals()[match.literal];
      if (!Holds(literal, match)) continue;
      for (const uint16_t c : literal.classes) See(c, match);
    }
    out_.erase(std::remove_if(out_.begin() + static_cast<ptrdiff_t>(first), out_.end(),
                              [&](const RuleMatch& match) { return Excused(match); }),
               out_.end());
    for (size_t i = first; i < out_.size(); ++i) out_[i].discussed = Discussed(out_[i]);
  }

 private:
  bool Holds(const Literal& literal, const LiteralMatch& match) const {
    if (scanned_.unspaced()) {
      return literal.text.size() >= kMinUnspacedBytes && !literal.exact_case && !literal.line_start;
    }
    if (literal.left_boundary && WordBefore(scanned_.text, match.start)) return false;
    if (literal.right_boundary && WordAfter(scanned_.text, match.end)) return false;
    const uint32_t raw = scanned_.RawOffset(match.start);
    if (literal.line_start && !AtLineStart(scanned_.raw, raw)) return false;
    return !literal.exact_case || scanned_.raw.substr(raw, literal.cased.size()) == literal.cased;
  }

  void See(uint16_t c, const LiteralMatch& match) {
    if (c == e_.break_class_) {
      ++sentence_;
      return;
    }
    if (c == e_.reversed_class_) ++hints_.reversed;
    if (c == e_.rot13_class_) ++hints_.rot13;
    if (c == e_.about_class_) w_.about.push_back(match.start);
    if (e_.is_guard_[c]) w_.guards[c] = {w_.run, match.end, sentence_};
    if (e_.is_near_guard_[c]) w_.near_guards.push_back({c, match.start, match.end, sentence_});
    for (const RuleEvaluator::Use use : e_.uses_[c]) Advance(use, match);
  }

  void Advance(RuleEvaluator::Use use, const LiteralMatch& match) {
    const Rule& rule = e_.rules_.rules()[use.rule];
    SlotState* slots = &w_.slots[e_.first_slot_[use.rule]];
    SlotState next{w_.run, match.start, match.end, match.start, sentence_};
    if (rule.ordered && use.slot > 0) {
      const SlotState& before = slots[use.slot - 1];
      if (!Near(rule, before, match) || before.end > match.start) return;
      next.chain_start = before.chain_start;
    }
    if (use.slot == 0 && !rule.unless.empty() && Guarded(rule, match)) return;
    slots[use.slot] = next;
    if (rule.ordered) {
      if (use.slot + 1u == rule.slots.size()) Report(use.rule, next.chain_start, match.end, next.chain_start);
    } else {
      Complete(use, rule, slots, match);
    }
  }

  // Other scripts than Latin take two or three bytes for a letter.
  uint32_t Within(const Rule& rule, const LiteralMatch& match) const {
    return static_cast<uint8_t>(scanned_.text[match.start]) < 0x80 ? rule.within : rule.within * 2;
  }

  bool Near(const Rule& rule, const SlotState& slot, const LiteralMatch& match) const {
    return slot.run == w_.run && match.end - slot.chain_start <= Within(rule, match) &&
           (rule.across_sentences || slot.sentence == sentence_);
  }

  bool Guarded(const Rule& rule, const LiteralMatch& match) const {
    return std::any_of(rule.unless.begin(), rule.unless.end(), [&](uint16_t c) {
      const GuardState& guard = w_.guards[c];
      return guard.run == w_.run && guard.end <= match.start && match.start - guard.end <= rule.unless_within &&
             guard.sentence == sentence_;
    });
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
    Report(use.rule, start, match.end, use.slot == 0 ? match.start : slots[0].start);
  }

  void Report(uint16_t rule, uint32_t start, uint32_t end, uint32_t anchor) {
    if (w_.reported[rule] >= RuleEvaluator::kMaxMatchesPerRule) return;
    ++w_.reported[rule];
    out_.push_back({rule, start, end, anchor, sentence_, false});
  }

  // Its first slot is negated ("vergiss nicht"), or a word that makes the rule harmless stands close by in the same
  // sentence. Few rules have such words, and each rule few matches.
  bool Excused(const RuleMatch& match) const {
    const Rule& rule = e_.rules_.rules()[match.rule];
    const uint32_t within = rule.unless_near_within;
    auto guard = std::lower_bound(w_.near_guards.begin(), w_.near_guards.end(), match.start,
                                  [&](const NearGuard& g, uint32_t at) { return g.end + within < at; });
    for (; guard != w_.near_guards.end() && guard->start <= match.end + within; ++guard) {
      if (guard->cls == e_.negated_class_) {
        if (guard->start <= match.anchor && match.anchor < guard->end) return true;
      } else if (guard->sentence == match.sentence &&
                 std::find(rule.unless_near.begin(), rule.unless_near.end(), guard->cls) != rule.unless_near.end()) {
        return true;
      }
    }
    return false;
  }

  bool Discussed(const RuleMatch& match) const {
    if (w_.about.empty() || !AfterQuote(scanned_.raw, scanned_.RawOffset(match.anchor))) return false;
    return std::any_of(w_.about.begin(), w_.about.end(), [&](uint32_t at) {
      return at < match.start ? match.start - at <= kAboutBefore : at >= match.end && at - match.end <= kAboutAfter;
    });
  }

  const RuleEvaluator& e_;
  const Scanned& scanned_;
  Workspace& w_;
  std::vector<RuleMatch>& out_;
  Hints& hints_;
  uint32_t sentence_ = 0;
};

void RuleEvaluator::Evaluate(const Scanned& scanned, const std::vector<LiteralMatch>& matches,
                             std::vector<RuleMatch>& out, Hints& hints) const {
  if (matches.empty()) return;
  thread_local Workspace workspace;
  EvaluationRun(*this, scanned, workspace, out, hints).Run(matches);
}

}  // namespace toolgate::security::injection_defence
