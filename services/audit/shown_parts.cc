#include "services/audit/shown_parts.h"

#include <algorithm>
#include <string_view>

#include "common/message_bounds.h"

namespace toolgate::services::audit {

std::vector<std::string> ShownBlocks(const security::ToolCall& call, const std::vector<std::string>& ids) {
  if (ids.size() <= kMaxShownBlocks) return ids;
  std::vector<std::string_view> named;
  for (const Json& argument : call.arguments()) {
    if (argument.is_string()) named.emplace_back(argument.get_ref<const std::string&>());
  }
  std::vector<std::string> shown;
  for (const bool wanted : {true, false}) {
    for (const std::string& id : ids) {
      if (shown.size() == kMaxShownBlocks) return shown;
      const bool is_named = std::find(named.begin(), named.end(), id) != named.end();
      if (is_named == wanted) shown.push_back(id);
    }
  }
  return shown;
}

int32_t FillFindings(const security::ToolCall& call, google::protobuf::RepeatedPtrField<v1::InjectionFinding>& rows) {
  const size_t shown = std::min(call.state.findings.size(), kMaxShownFindings);
  for (size_t i = 0; i < shown; ++i) {
    const security::Finding& finding = call.state.findings[i];
    v1::InjectionFinding& row = *rows.Add();
    row.set_rule_id(finding.rule_id);
    row.set_family(finding.family);
    row.set_path(finding.path);
    row.set_offset(finding.offset);
    row.set_weight(finding.weight);
  }
  return static_cast<int32_t>(call.state.findings.size() - shown);
}

}  // namespace toolgate::services::audit
