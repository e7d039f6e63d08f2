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
  bool left_boundary = false;   // No word character may stand before it.
  bool right_boundary = false;  // … or after it.
  bool line_start = false;      // Nothing but blanks and markdown marks stand before it on its line.
  bool exact_case = false;      // `cased` must stand there in this very case.
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
  double weight = 0;  // 0 to 1: how sure this rule alone makes.
  std::vector<Slot> slots;
  bool ordered = false;  // Slots must follow each other as written.
  bool across_sentences = false;
  uint32_t within = 0;           // Bytes from the start of the first to the end of the last.
  bool imperative = false;       // The verb must stand where an order begins.
  uint16_t verb = 0;             // The slot that orders something,
  uint16_t object = 0;           // … and the one that says what is to be done to what.
  std::vector<uint16_t> unless;  // Classes that, shortly before the verb and in its clause, say that it orders nobody.
  uint32_t unless_within = 0;
  bool plain_object = false;  // An object that a preposition goes on from ("the rules of the house") is another's.
  std::vector<uint16_t> harmless_object;  // Classes that, in the object's noun phrase, make it one of everyday life.
  std::vector<std::string> must_match;    // The rule's own tests.
  std::vector<std::string> must_not_match;
};

// Everything that the rule files say. Immutable once parsed.
//
// A file is a JSON object with "classes" (name to languages to words) and "rules" or one of them; classes are shared by
// all files. The notation of words and rules is described in rules/README.md.
class RuleSet {
 public:
  // INVALID_ARGUMENT naming the file, the rule and what is wrong.
  static absl::StatusOr<RuleSet> Parse(const std::vector<EmbeddedFile>& files);

  const std::vector<Literal>& literals() const { return literals_; }
  const std::vector<Rule>& rules() const { return rules_; }
  const std::vector<std::string>& class_names() const { return class_names_; }
  // Words to tell apart where blanks are missing: those of the literals, and the files' "vocabulary". Made anew.
  std::vector<std::string> Vocabulary() const;
  // The number of the class, or -1 when there is none of that name.
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
