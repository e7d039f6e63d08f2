// Errors that the rules of views and transactions share.
#ifndef TOOLGATE_STORAGE_STORE_ERRORS_H_
#define TOOLGATE_STORAGE_STORE_ERRORS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/tool_error.h"
#include "storage/link.h"

namespace toolgate::storage {

using Facts = std::vector<std::pair<std::string, std::string>>;

// With the fact blockId, before `facts`.
absl::Status BlockError(ErrorCode code, std::string message, std::string_view block_id, Facts facts = {});
// NOT_FOUND.
absl::Status NoSuchBlock(std::string_view id);

// About a link, which its message names and its facts describe.
absl::Status LinkError(ErrorCode code, std::string_view from_id, std::string_view to_id, std::string_view relation,
                       std::string_view why);
absl::Status LinkError(ErrorCode code, const Link& link, std::string_view why);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_STORE_ERRORS_H_
