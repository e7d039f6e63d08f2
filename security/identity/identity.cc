#include "security/identity/identity.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "simdjson.h"

namespace toolgate::security::identity {
namespace {

constexpr size_t kMaxId = 128;
constexpr size_t kMaxName = 200;
constexpr char kDefault[] = "default";

absl::Status Malformed(std::string_view field, std::string_view expected) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = absl::StrCat("caller.", ToAbsl(field), " must be ", ToAbsl(expected));
  error.violations.push_back({absl::StrCat("caller.", ToAbsl(field)), "format", std::string(expected), ""});
  return ToStatus(error);
}

bool IsIdCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("._:@-").find(c) != std::string_view::npos;
}

absl::Status CheckId(std::string_view field, std::string_view value) {
  if (value.empty() || IsId(value)) return absl::OkStatus();
  return Malformed(field, "1 to 128 characters of A-Z a-z 0-9 . _ : @ -");
}

// Free text: well-formed and without control characters, since it is shown and logged.
absl::Status CheckText(std::string_view field, std::string_view value, size_t max) {
  const bool clean = std::none_of(value.begin(), value.end(), [](char c) { return absl::ascii_iscntrl(c); });
  if (value.size() <= max && clean && simdjson::validate_utf8(value.data(), value.size())) return absl::OkStatus();
  return Malformed(field, absl::StrCat("at most ", max, " bytes of UTF-8 without control characters"));
}

}  // namespace

bool IsId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxId && std::all_of(text.begin(), text.end(), IsIdCharacter);
}

absl::Status CheckForm(const Caller& claimed) {
  RETURN_IF_ERROR(CheckId("workspace_id", claimed.workspace_id));
  RETURN_IF_ERROR(CheckId("user_id", claimed.user_id));
  RETURN_IF_ERROR(CheckText("user_name", claimed.user_name, kMaxName));
  RETURN_IF_ERROR(CheckText("conversation_id", claimed.conversation_id, kMaxId));
  RETURN_IF_ERROR(CheckText("ai_model", claimed.ai_model, kMaxName));
  RETURN_IF_ERROR(CheckText("mode_hint", claimed.mode_hint, kMaxId));
  absl::TimeZone zone;
  if (!claimed.time_zone.empty() && !absl::LoadTimeZone(claimed.time_zone, &zone)) {
    return Malformed("time_zone", "an IANA time zone name such as \"Europe/Berlin\", or empty for UTC");
  }
  return absl::OkStatus();
}

absl::StatusOr<Caller> CheckClaim(const Caller& claimed) {
  RETURN_IF_ERROR(CheckForm(claimed));
  Caller caller = claimed;
  caller.service.clear();
  caller.roles.clear();
  caller.permissions.clear();
  caller.claims.reset();
  if (caller.workspace_id.empty()) caller.workspace_id = kDefault;
  if (caller.user_id.empty()) caller.user_id = kDefault;
  return caller;
}

}  // namespace toolgate::security::identity
