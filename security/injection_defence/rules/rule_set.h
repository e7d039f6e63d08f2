// The rules of layer 1 as data: word classes, rules built from them, and the literals that both come down to.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_RULE_SET_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_RULE_SET_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/embedded_file.h"

namespace toolgate::security::injection_defence::rules {

// One piece of text to look for, in the normal form of Normaliser.
struct Literal {
  std::string text;
  bool left_boundary = false;   // Must not follow a word character.
  bool right_boundary = false;  // … or after it.
  bool line_start = false;      // Must follow only blanks and markdown marks on its line.
  bool exact_case = false;      // Must occur in the exact case of `cased`.
  bool grammar_only = false;    // All its classes are of the grammar, so it means nothing in a text without blanks.
  std::string cased;
  std::vector<uint16_t> classes;
};

// A set of classes, one of which must be seen.
using Slot = std::vector<uint16_t>;

// Fires when every slot is seen close together.
struct Rule {
  std::string id;
  std::string family;
  std::string rationale;
  double weight = 0;  // 0 to 1: certainty that this rule alone provides.
  std::vector<Slot> slots;
  bool ordered = false;  // Slots must follow each other in the given order.
  bool across_sentences = false;
  uint32_t within = 0;           // Bytes from the start of the first to the end of the last.
  bool imperative = false;       // The verb must be in a place where an order begins.
  uint16_t verb = 0;             // The slot that orders something,
  uint16_t object = 0;           // … and the slot of the order's object.
  std::vector<uint16_t> phrase;  // Two slots that must be in one noun phrase: "all your rules", "Regeln von oben".
  std::vector<uint16_t> unless;  // Classes that, shortly before the verb in its clause, make it no order.
  uint32_t unless_within = 0;
  bool plain_object = false;              // A preposition after the object ("the rules of the house") rules it out.
  bool certain = false;                   // The model of wording does not doubt it.
  std::vector<uint16_t> harmless_object;  // Classes in the object's noun phrase that make it harmless.
  std::vector<std::string> must_match;    // The rule's own tests.
  std::vector<std::string> must_not_match;
};

// Contents of the rule files. Immutable once parsed.
//
// A file is a JSON object with "classes" (name to languages to words) and "rules" or one of them; classes are shared by
// all files. The notation of words and rules is described in rules/README.md.
class RuleSet {
 public:
  // INVALID_ARGUMENT names the file, the rule and the problem.
  static absl::StatusOr<RuleSet> Parse(const std::vector<EmbeddedFile>& files);

  const std::vector<Literal>& literals() const { return literals_; }
  const std::vector<Rule>& rules() const { return rules_; }
  const std::vector<std::string>& class_names() const { return class_names_; }
  // Words to recognise where blanks are missing: those of the literals, and the files' "vocabulary". Created anew by
  // each call.
  std::vector<std::string> Vocabulary() const;
  // The number of the class, or -1 if there is none of that name.
  int FindClass(std::string_view name) const;

 private:
  friend class RuleSetParser;

  std::vector<Literal> literals_;
  std::vector<Rule> rules_;
  std::vector<std::string> class_names_;
  std::vector<std::string> vocabulary_;
};

}  // namespace toolgate::security::injection_defence::rules

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_RULE_SET_H_
