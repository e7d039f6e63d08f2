#include "services/execution/outside_text.h"

#include <vector>

namespace toolgate::services::execution {

absl::Status OutsideText::TakeIn(security::ToolCall& call, security::ToolResult& result) const {
  result.boundary = scanner_.NewBoundary();
  const std::vector<security::Finding> findings = scanner_.Scan(result.data_json, "result");
  call.findings.insert(call.findings.end(), findings.begin(), findings.end());
  return provenance_.Mark(call, clock_.Now());
}

}  // namespace toolgate::services::execution
