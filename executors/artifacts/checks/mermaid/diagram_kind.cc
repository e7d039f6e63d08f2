#include "executors/artifacts/checks/mermaid/diagram_kind.h"

#include <algorithm>
#include <array>

namespace toolgate::executors::artifacts::checks::mermaid {
namespace {

constexpr auto kKinds = std::to_array<DiagramKind>({
    {"graph", Grammar::kFlowchart, true},
    {"flowchart", Grammar::kFlowchart, true},
    {"flowchart-elk", Grammar::kFlowchart, true},
    {"sequenceDiagram", Grammar::kSequence, false},
    {"classDiagram", Grammar::kBraces, true},
    {"classDiagram-v2", Grammar::kBraces, true},
    {"stateDiagram", Grammar::kBraces, true},
    {"stateDiagram-v2", Grammar::kBraces, true},
    {"erDiagram", Grammar::kBraces, true},
    {"requirementDiagram", Grammar::kBraces, true},
    {"C4Context", Grammar::kBraces, true},
    {"C4Container", Grammar::kBraces, true},
    {"C4Component", Grammar::kBraces, true},
    {"C4Dynamic", Grammar::kBraces, true},
    {"C4Deployment", Grammar::kBraces, true},
    {"pie", Grammar::kText, true},
    {"gantt", Grammar::kText, false},
    {"journey", Grammar::kText, false},
    {"quadrantChart", Grammar::kText, false},
    {"gitGraph", Grammar::kText, true},
    {"mindmap", Grammar::kText, false},
    {"timeline", Grammar::kText, false},
    {"zenuml", Grammar::kText, false},
    {"sankey", Grammar::kText, false},
    {"sankey-beta", Grammar::kText, false},
    {"xychart", Grammar::kText, true},
    {"xychart-beta", Grammar::kText, true},
    {"block", Grammar::kText, true},
    {"block-beta", Grammar::kText, true},
    {"packet", Grammar::kText, true},
    {"packet-beta", Grammar::kText, true},
    {"kanban", Grammar::kText, false},
    {"architecture-beta", Grammar::kText, false},
    {"radar-beta", Grammar::kText, true},
    {"treemap", Grammar::kText, true},
    {"treemap-beta", Grammar::kText, true},
    {"info", Grammar::kText, false},
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
