// What answers and audit entries show of a call where it has no bound of its own.
#ifndef TOOLGATE_SERVICES_AUDIT_SHOWN_PARTS_H_
#define TOOLGATE_SERVICES_AUDIT_SHOWN_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "security/tool_call.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::audit {

// As many of `ids` as are shown (common/message_bounds.h). When there are more, those that the call's arguments name
// come before all others: a page's deletion stays findable by the page.
std::vector<std::string> ShownBlocks(const security::ToolCall& call, const std::vector<std::string>& ids);

// What a call touched, as `out`, a message that tells of its result, shows it.
template <typename Message>
void FillAffected(const security::ToolCall& call, const security::ToolResult& result, Message& out) {
  const std::vector<std::string> shown = ShownBlocks(call, result.affected_block_ids);
  out.mutable_affected_block_ids()->Assign(shown.begin(), shown.end());
  const size_t omitted = result.affected_block_ids.size() - shown.size() + result.affected_blocks_omitted;
  out.set_affected_blocks_omitted(static_cast<int32_t>(omitted));
}

// As many of the call's findings as are shown; answers how many there were beyond those.
int32_t FillFindings(const security::ToolCall& call, google::protobuf::RepeatedPtrField<v1::InjectionFinding>& rows);

}  // namespace toolgate::services::audit

#endif  // TOOLGATE_SERVICES_AUDIT_SHOWN_PARTS_H_
