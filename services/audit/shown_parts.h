// Size limits for variable-length parts of a call in answers and audit entries.
#ifndef TOOLGATE_SERVICES_AUDIT_SHOWN_PARTS_H_
#define TOOLGATE_SERVICES_AUDIT_SHOWN_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "security/tool_call.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::audit {

// The `ids` that are shown, at most as many as common/message_bounds.h allows. If there are more, those that the call's
// arguments name come first: a page's deletion can still be found by the page.
std::vector<std::string> ShownBlocks(const security::ToolCall& call, const std::vector<std::string>& ids);

// Fills in the blocks that a call touched, in `out`, a message about its result.
template <typename Message>
void FillAffected(const security::ToolCall& call, const security::ToolResult& result, Message& out) {
  const std::vector<std::string> shown = ShownBlocks(call, result.affected_block_ids);
  out.mutable_affected_block_ids()->Assign(shown.begin(), shown.end());
  const size_t omitted = result.affected_block_ids.size() - shown.size() + result.affected_blocks_omitted;
  out.set_affected_blocks_omitted(static_cast<int32_t>(omitted));
}

// Fills in at most as many of the call's findings as are shown; returns the number of further ones.
int32_t FillFindings(const security::ToolCall& call, google::protobuf::RepeatedPtrField<v1::InjectionFinding>& rows);

}  // namespace toolgate::services::audit

#endif  // TOOLGATE_SERVICES_AUDIT_SHOWN_PARTS_H_
