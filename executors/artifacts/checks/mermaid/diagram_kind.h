// Kinds of Mermaid diagrams.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_DIAGRAM_KIND_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_DIAGRAM_KIND_H_

#include <string_view>
#include <vector>

namespace toolgate::executors::artifacts::checks::mermaid {

// The grammar that a check knows of a kind.
enum class Grammar {
  kUnknown,  // The kind exists, and none of its statements is known.
  kFlowchart,
  kSequence,
  kClass,
  kState,
  kEntity,
  kGantt,
  kPie,
  kJourney,
  kMindmap,
  kTimeline,
  kQuadrant,
  kChart,
  kSankey,
  kPacket,
  kKanban,
  kRequirement,
  kTreemap,
};

struct DiagramKind {
  std::string_view keyword;
  Grammar grammar;
};

// Null for an unknown keyword.
const DiagramKind* FindDiagramKind(std::string_view keyword);
std::vector<std::string_view> DiagramKeywords();

}  // namespace toolgate::executors::artifacts::checks::mermaid

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_DIAGRAM_KIND_H_
