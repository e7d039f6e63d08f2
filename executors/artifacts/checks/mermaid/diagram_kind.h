// Kinds of Mermaid diagrams.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_DIAGRAM_KIND_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_DIAGRAM_KIND_H_

#include <string_view>
#include <vector>

namespace toolgate::executors::artifacts::checks::mermaid {

// The grammar that a check knows of a kind.
enum class Grammar {
  kFlowchart,
  kSequence,
  kBraces,  // Classes, states, entities, requirements, C4: blocks in braces.
  kText,    // Lines of free text: only the header is checked.
};

struct DiagramKind {
  std::string_view keyword;
  Grammar grammar;
  bool quotes;  // A line's double quotes come in pairs.
};

// Null for an unknown keyword.
const DiagramKind* FindDiagramKind(std::string_view keyword);
std::vector<std::string_view> DiagramKeywords();

}  // namespace toolgate::executors::artifacts::checks::mermaid

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_DIAGRAM_KIND_H_
