#include "executors/artifacts/checks/mermaid/diagram_kind.h"

#include <algorithm>
#include <array>

namespace toolgate::executors::artifacts::checks::mermaid {
namespace {

constexpr auto kKinds = std::to_array<DiagramKind>({
    {"graph", Grammar::kFlowchart},
    {"flowchart", Grammar::kFlowchart},
    {"flowchart-elk", Grammar::kUnknown},
    {"sequenceDiagram", Grammar::kSequence},
    {"classDiagram", Grammar::kClass},
    {"classDiagram-v2", Grammar::kClass},
    {"stateDiagram", Grammar::kState},
    {"stateDiagram-v2", Grammar::kState},
    {"erDiagram", Grammar::kEntity},
    {"gantt", Grammar::kGantt},
    {"pie", Grammar::kPie},
    {"journey", Grammar::kJourney},
    {"mindmap", Grammar::kMindmap},
    {"timeline", Grammar::kTimeline},
    {"quadrantChart", Grammar::kQuadrant},
    {"xychart", Grammar::kChart},
    {"xychart-beta", Grammar::kChart},
    {"sankey", Grammar::kSankey},
    {"sankey-beta", Grammar::kSankey},
    {"packet", Grammar::kPacket},
    {"packet-beta", Grammar::kPacket},
    {"kanban", Grammar::kKanban},
    {"requirementDiagram", Grammar::kRequirement},
    {"treemap", Grammar::kTreemap},
    {"treemap-beta", Grammar::kTreemap},
    {"gitGraph", Grammar::kUnknown},
    {"C4Context", Grammar::kUnknown},
    {"C4Container", Grammar::kUnknown},
    {"C4Component", Grammar::kUnknown},
    {"C4Dynamic", Grammar::kUnknown},
    {"C4Deployment", Grammar::kUnknown},
    {"zenuml", Grammar::kUnknown},
    {"block", Grammar::kUnknown},
    {"block-beta", Grammar::kUnknown},
    {"architecture", Grammar::kUnknown},
    {"architecture-beta", Grammar::kUnknown},
    {"radar-beta", Grammar::kUnknown},
    {"info", Grammar::kUnknown},
    {"requirement", Grammar::kUnknown},
    {"ishikawa", Grammar::kUnknown},
    {"ishikawa-beta", Grammar::kUnknown},
    {"eventmodeling", Grammar::kUnknown},
    {"swimlane-beta", Grammar::kUnknown},
    {"cynefin-beta", Grammar::kUnknown},
    {"railroad-beta", Grammar::kUnknown},
    {"railroad-abnf-beta", Grammar::kUnknown},
    {"railroad-ebnf-beta", Grammar::kUnknown},
    {"railroad-peg-beta", Grammar::kUnknown},
    {"venn-beta", Grammar::kUnknown},
    {"treeView-beta", Grammar::kUnknown},
    {"wardley-beta", Grammar::kUnknown},
});

}  // namespace

const DiagramKind* FindDiagramKind(std::string_view keyword) {
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const DiagramKind& kind) { return kind.keyword == keyword; });
  return found == kKinds.end() ? nullptr : found;
}

std::vector<std::string_view> DiagramKeywords() {
  std::vector<std::string_view> keywords;
  keywords.reserve(kKinds.size());
  for (const DiagramKind& kind : kKinds) keywords.push_back(kind.keyword);
  return keywords;
}

}  // namespace toolgate::executors::artifacts::checks::mermaid
