// Diagrams whose statements are lines: all but flowcharts.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_LINE_DIAGRAM_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_LINE_DIAGRAM_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "executors/artifacts/checks/mermaid/clean_text.h"
#include "executors/artifacts/checks/mermaid/statement_forms.h"

namespace toolgate::executors::artifacts::checks::mermaid {

// Checks one diagram, line after line: its statements against the known forms, its blocks, and facts such as who is
// active in a sequence. Used by one thread.
class LineDiagramCheck {
 public:
  // Borrows both. `grammar` has forms.
  LineDiagramCheck(Grammar grammar, Findings& findings)
      : grammar_(grammar), forms_(*StatementForms::Of(grammar)), findings_(findings) {}

  // `line` begins at `at` of the clean text.
  void CheckHeader(std::string_view line, size_t at);
  void CheckLine(std::string_view line, size_t at);
  // At the end of the diagram.
  void Finish();

 private:
  struct Block {
    Scope scope;
    size_t at;
    int statements;
  };

  Scope scope() const { return blocks_.empty() ? kTop : blocks_.back().scope; }
  void Enter(const Form& form, size_t at);
  void CheckFacts(Meaning meaning, const Groups& groups, size_t at);
  void CheckSequenceFacts(Meaning meaning, const Groups& groups, size_t at);
  void Deactivate(const std::string& participant, size_t at);
  void CheckStateFacts(Meaning meaning, const std::string& state, size_t at);
  void CheckIndentation(size_t indentation, size_t at);
  void CheckBits(std::string_view first, std::string_view last, size_t at);

  const Grammar grammar_;
  const StatementForms& forms_;
  Findings& findings_;
  std::vector<Block> blocks_;
  // Facts of a sequence.
  absl::flat_hash_map<std::string, int> active_;
  absl::flat_hash_set<std::string> participants_;
  bool has_box_ = false;
  absl::flat_hash_set<std::string> classes_;
  // Facts of states.
  absl::flat_hash_set<std::string> composite_;
  absl::flat_hash_set<std::string> described_;
  // Facts of a tree, a packet and a chart.
  size_t root_indentation_ = 0;
  int nodes_ = 0;
  int next_bit_ = 0;
  bool has_data_ = false;
};

}  // namespace toolgate::executors::artifacts::checks::mermaid

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_LINE_DIAGRAM_H_
