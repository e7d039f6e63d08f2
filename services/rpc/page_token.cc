#include "services/rpc/page_token.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/tool_error.h"

namespace toolgate::services::rpc {
namespace {

constexpr size_t kDigestBytes = 8;

absl::Status Invalid(std::string_view field, std::string_view message) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = message;
  error.violations.push_back({std::string(field), "range", std::string(message), ""});
  return ToStatus(error);
}

}  // namespace

std::string MakePageToken(std::string_view position, std::string_view filters) {
  return Base64UrlEncode(absl::StrCat(Sha256(filters).substr(0, kDigestBytes), ToAbsl(position)));
}

absl::StatusOr<std::string> ReadPageToken(std::string_view token, std::string_view filters) {
  if (token.empty()) return std::string();
  const std::optional<std::string> bytes = Base64UrlDecode(token);
  if (!bytes.has_value() || bytes->size() <= kDigestBytes) {
    return Invalid("page_token", "page_token must be the next_page_token of the page before");
  }
  if (bytes->substr(0, kDigestBytes) != Sha256(filters).substr(0, kDigestBytes)) {
    return Invalid("page_token", "page_token belongs to a listing with other filters");
  }
  return bytes->substr(kDigestBytes);
}

absl::StatusOr<int64_t> PageSize(int32_t asked, int64_t fallback, int64_t max) {
  if (asked == 0) return fallback;
  if (asked > 0 && asked <= max) return asked;
  return Invalid("page_size", absl::StrCat("page_size must be between 1 and ", max, ", or 0 for ", fallback));
}

}  // namespace toolgate::services::rpc
