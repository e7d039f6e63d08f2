#include "security/identity/identity.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/time_zones.h"
#include "common/tool_error.h"
#include "simdjson.h"

namespace toolgate::security::identity {
namespace {

constexpr size_t kMaxId = 128;
constexpr size_t kMaxName = 200;
constexpr char kDefault[] = "default";

// `actual` may be empty if it is long or cannot be shown.
absl::Status Malformed(std::string_view field, std::string_view expected, std::string_view actual = "") {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = absl::StrCat("caller.", ToAbsl(field), " must be ", ToAbsl(expected));
  if (!actual.empty()) absl::StrAppend(&error.message, "; it is ", ToAbsl(actual));
  error.violations.push_back(
      {absl::StrCat("caller.", ToAbsl(field)), "format", std::string(expected), std::string(actual)});
  return ToStatus(error);
}

// A name in quotation marks, or its length if it is too long for a name or has characters that names cannot have.
std::string Shown(std::string_view name) {
  const bool is_word = std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isgraph(c); });
  if (is_word && name.size() <= kMaxTimeZoneName) return absl::StrCat("\"", ToAbsl(name), "\"");
  return absl::StrCat("a text of ", name.size(), " bytes");
}

bool IsIdCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("._:@-").find(c) != std::string_view::npos;
}

absl::Status CheckId(std::string_view field, std::string_view value) {
  if (value.empty() || IsId(value)) return absl::OkStatus();
  return Malformed(field, "1 to 128 characters of A-Z a-z 0-9 . _ : @ -");
}

// Free text: must be well-formed and without control characters, because it is shown and logged.
absl::Status CheckText(std::string_view field, std::string_view value, size_t max) {
  if (value.empty()) return absl::OkStatus();
  const bool clean = std::none_of(value.begin(), value.end(), [](char c) { return absl::ascii_iscntrl(c); });
  if (value.size() <= max && clean && simdjson::validate_utf8(value.data(), value.size())) return absl::OkStatus();
  return Malformed(field, absl::StrCat("at most ", max, " bytes of UTF-8 without control characters"));
}

}  // namespace

bool IsId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxId && std::all_of(text.begin(), text.end(), IsIdCharacter);
}

absl::Status CheckForm(Caller& claimed) {
  RETURN_IF_ERROR(CheckId("workspace_id", claimed.workspace_id));
  RETURN_IF_ERROR(CheckId("user_id", claimed.user_id));
  RETURN_IF_ERROR(CheckText("user_name", claimed.user_name, kMaxName));
  RETURN_IF_ERROR(CheckText("conversation_id", claimed.conversation_id, kMaxId));
  RETURN_IF_ERROR(CheckText("ai_model", claimed.ai_model, kMaxName));
  RETURN_IF_ERROR(CheckText("mode_hint", claimed.mode_hint, kMaxId));
  if (claimed.time_zone.empty()) return absl::OkStatus();
  const auto zone = FindTimeZone(claimed.time_zone);
  if (!zone.has_value()) {
    const std::string actual = Shown(claimed.time_zone);
    return Malformed("time_zone", absl::StrCat(TimeZoneForm(), ", or empty for UTC"), actual);
  }
  claimed.time_zone = std::string(zone->name);
  return absl::OkStatus();
}

absl::StatusOr<Caller> CheckClaim(const Caller& claimed) {
  // One return, so that the caller is built in place.
  absl::StatusOr<Caller> caller = claimed;
  if (absl::Status form = CheckForm(*caller); !form.ok()) {
    caller = std::move(form);
    return caller;
  }
  caller->service.clear();
  caller->roles.clear();
  caller->permissions.clear();
  caller->claims.reset();
  if (caller->workspace_id.empty()) caller->workspace_id = kDefault;
  if (caller->user_id.empty()) caller->user_id = kDefault;
  return caller;
}

}  // namespace toolgate::security::identity
