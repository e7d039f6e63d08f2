#include "storage/store_errors.h"

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate::storage {

absl::Status BlockError(ErrorCode code, std::string message, std::string_view block_id, Facts facts) {
  ToolError error;
  error.code = code;
  error.message = std::move(message);
  error.facts = std::move(facts);
  error.facts.insert(error.facts.begin(), {"blockId", std::string(block_id)});
  return ToStatus(error);
}

absl::Status NoSuchBlock(std::string_view id) {
  return BlockError(ErrorCode::kNotFound, absl::StrCat("there is no block ", ToAbsl(id)), id);
}

absl::Status LinkError(ErrorCode code, std::string_view from_id, std::string_view to_id, std::string_view relation,
                       std::string_view why) {
  ToolError error;
  error.code = code;
  error.message = absl::StrCat("the link \"", ToAbsl(relation), "\" from ", ToAbsl(from_id), " to ", ToAbsl(to_id), " ",
                               ToAbsl(why));
  error.facts = {{"fromId", std::string(from_id)}, {"toId", std::string(to_id)}, {"relation", std::string(relation)}};
  return ToStatus(error);
}

absl::Status LinkError(ErrorCode code, const Link& link, std::string_view why) {
  return LinkError(code, link.from_id, link.to_id, link.relation, why);
}

}  // namespace toolgate::storage
