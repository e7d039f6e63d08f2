// Determines the rules that match, from the literals found in a text.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_RULE_EVALUATOR_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_RULE_EVALUATOR_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "security/injection_defence/rules/matcher.h"
#include "security/injection_defence/rules/rule_set.h"
#include "security/injection_defence/text/disguise_spans.h"
#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::rules {

// A text in which literals were found. Borrows.
struct Scanned {
  std::string_view text;                       // The scanned text.
  std::string_view raw;                        // The source of the scanned text.
  const text::TextView* view = nullptr;        // Mapping from `text` to `raw`; null if they are the same.
  const text::DisguiseSpans* spans = nullptr;  // Disguised parts of `raw`; null: everywhere or nowhere.

  uint32_t RawOffset(uint32_t offset) const { return view == nullptr ? offset : view->origin[offset]; }
  // True if a finding in bytes [start, end) of `text` may count.
  bool MayCount(uint32_t start, uint32_t end) const {
    return spans == nullptr || spans->Cover(RawOffset(start), RawOffset(end - 1) + 1);
  }
  bool unspaced() const { return view != nullptr && view->unspaced; }
};

// Reasons to reduce a match's weight. Some weight always remains: a word that made a match harmless would be a way
// around the rules.
enum class Excuse : uint8_t {
  kNone,
  kObject,     // The object is a thing of everyday life.
  kReported,   // Its verb is reported and not an order.
  kDiscussed,  // In quotation marks, in a text that speaks about attacks.
};

// A match of a rule in bytes [start, end) of the scanned text.
struct RuleMatch {
  uint16_t rule;
  uint32_t start;
  uint32_t end;
  uint32_t anchor;  // Place of its first slot.
  uint32_t object_start;
  uint32_t object_end;
  uint32_t sentence;  // The sentence in which it ends, counted from the start of the text.
  Excuse excuse;
};

// A word of a class, at bytes [start, end) of the scanned text.
struct ClassSighting {
  uint16_t cls;
  uint32_t start;
  uint32_t end;
};

// Words that make another reading of the text worth its cost.
struct Hints {
  int reversed = 0;
  int rot13 = 0;
};

// Linear: for each literal it advances the rules that wait for one of its classes, provided that the text has words for
// all of their slots. Thread-safe.
class RuleEvaluator {
 public:
  // `rules` must outlive this.
  explicit RuleEvaluator(const RuleSet& rules);

  // Appends to `out`; reports a rule at most kMaxMatchesPerRule times. `matches` are ordered by end. Replaces
  // `sightings` by the classes seen, ordered by end.
  void Evaluate(const Scanned& scanned, const std::vector<LiteralMatch>& matches, std::vector<RuleMatch>& out,
                Hints& hints, std::vector<ClassSighting>& sightings) const;

  static constexpr int kMaxMatchesPerRule = 16;

 private:
  friend class EvaluationRun;

  // Slot `slot` of rule `rule` accepts the class.
  struct Use {
    uint16_t rule;
    uint16_t slot;
  };

  const RuleSet& rules_;
  std::vector<std::vector<Use>> uses_;  // By class.
  std::vector<uint8_t> all_slots_;      // By rule: a bit for each of its slots.
  std::vector<uint32_t> first_slot_;    // By rule: position of its first slot among all.
  uint32_t slot_count_ = 0;
  std::vector<bool> is_guard_;     // By class: some rule has it in `unless`.
  std::vector<bool> is_modifier_;  // By class: some rule has it in `harmless_object`, or it is a negation.
  int negated_class_;
  int order_lead_class_;
  int own_place_class_;
  int break_class_;
  int about_class_;
  int reversed_class_;
  int rot13_class_;
};

}  // namespace toolgate::security::injection_defence::rules

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_RULE_EVALUATOR_H_
