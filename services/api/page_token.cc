#include "services/api/page_token.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "executors/arguments.h"

namespace toolgate::services::api {
namespace {

using executors::InvalidArgument;

constexpr size_t kDigestBytes = 8;

}  // namespace

std::string MakePageToken(std::string_view position, std::string_view filters) {
  return Base64UrlEncode(absl::StrCat(Sha256(filters).substr(0, kDigestBytes), ToAbsl(position)));
}

absl::StatusOr<std::string> ReadPageToken(std::string_view token, std::string_view filters) {
  if (token.empty()) return std::string();
  const std::optional<std::string> bytes = Base64UrlDecode(token);
  if (!bytes.has_value() || bytes->size() <= kDigestBytes) return MalformedPageToken();
  if (bytes->substr(0, kDigestBytes) != Sha256(filters).substr(0, kDigestBytes)) {
    return InvalidArgument("page_token", "consistency", "page_token belongs to a listing with other filters",
                           "the next_page_token of a listing with the same filters");
  }
  return bytes->substr(kDigestBytes);
}

absl::Status MalformedPageToken() {
  return InvalidArgument("page_token", "format", "page_token must be the next_page_token of the page before",
                         "the next_page_token of the page before");
}

absl::StatusOr<int64_t> PageSize(int32_t asked, int64_t fallback, int64_t max) {
  if (asked == 0) return fallback;
  if (asked > 0 && asked <= max) return asked;
  const std::string expected = absl::StrCat("1 to ", max, ", or 0 for ", fallback);
  return InvalidArgument("page_size", "range", absl::StrCat("page_size must be ", expected), expected);
}

}  // namespace toolgate::services::api
