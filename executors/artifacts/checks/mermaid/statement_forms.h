// Statements that Mermaid 11 is known to accept, and some that it is known to refuse.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_STATEMENT_FORMS_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_STATEMENT_FORMS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "executors/artifacts/checks/mermaid/diagram_kind.h"
#include "re2/re2.h"

namespace toolgate::executors::artifacts::checks::mermaid {

// The block that a statement is in; one bit each.
enum Scope : uint32_t {
  kTop = 1 << 0,
  kBlock = 1 << 1,  // Of a sequence: loop, opt, break, rect.
  kAlt = 1 << 2,
  kPar = 1 << 3,
  kCritical = 1 << 4,
  kBox = 1 << 5,
  kMembers = 1 << 6,  // Of a class or an entity.
  kNamespace = 1 << 7,
  kState = 1 << 8,
  kNote = 1 << 9,  // A note over several lines.
  kRequirement = 1 << 10,
  kElement = 1 << 11,
};
inline constexpr uint32_t kAnySequence = kTop | kBlock | kAlt | kPar | kCritical;

enum class Step { kStay, kOpen, kClose };

// Facts in a statement that the grammar alone does not judge; the captured groups in parentheses.
enum class Meaning {
  kNothing,
  kMessage,      // (sender, "+", "-" or "", receiver)
  kActivate,     // (participant)
  kDeactivate,   // (participant)
  kParticipant,  // (participant)
  kClass,        // (class)
  kAnnotation,   // (annotation, class)
  kComposite,    // (state)
  kDescribed,    // (state)
  kNode,         // (indentation) of a tree
  kBlankInTree,
  kDecoration,  // Of the last node.
  kBits,        // (first, last) of a packet; either may be empty
  kMoreBits,    // (count)
  kPlot,        // Data of a chart.
};

struct Form {
  uint32_t in;
  const char* pattern;
  Step step = Step::kStay;
  Scope to = kTop;
  Meaning meaning = Meaning::kNothing;
};

// A statement for which Mermaid refuses a diagram.
struct WrongForm {
  uint32_t in;
  const char* pattern;
  const char* rule;
  const char* message;
};

inline constexpr int kMaxGroups = 4;
using Groups = std::array<re2::StringPiece, kMaxGroups>;

// Statements of one grammar. Thread-safe.
class StatementForms {
 public:
  // Null for a grammar without any.
  static const StatementForms* Of(Grammar grammar);

  // Whether it is the whole first line of a diagram.
  bool IsHeader(std::string_view line) const;
  // Null: none is known. Groups that hold a reserved word match nothing.
  const Form* Find(Scope in, std::string_view line, Groups& groups) const;
  const WrongForm* FindWrong(Scope in, std::string_view line) const;

 private:
  struct Tables;
  explicit StatementForms(const Tables& tables);
  bool Matches(const RE2& pattern, std::string_view line, Groups& groups) const;
  bool IsReserved(std::string_view name) const;

  const Tables& tables_;
  std::unique_ptr<RE2> header_;
  std::vector<std::unique_ptr<RE2>> forms_;
  std::vector<std::unique_ptr<RE2>> wrong_;
};

}  // namespace toolgate::executors::artifacts::checks::mermaid

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_STATEMENT_FORMS_H_
