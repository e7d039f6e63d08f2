#include "executors/providers/content_type.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/tool_error.h"

namespace toolgate::executors::providers {

bool HasContentType(const http::ResponseHead& head, std::string_view type) {
  std::string_view value = head.Find("content-type");
  value = FromAbsl(absl::StripAsciiWhitespace(ToAbsl(value.substr(0, value.find(';')))));
  if (absl::EqualsIgnoreCase(ToAbsl(value), ToAbsl(type))) return true;
  return type == "application/json" && absl::EndsWithIgnoreCase(ToAbsl(value), "+json");
}

absl::Status CheckContentType(std::string_view provider, const http::ResponseHead& head, std::string_view type) {
  if (HasContentType(head, type)) return absl::OkStatus();
  return MakeError(ErrorCode::kExecutionError,
                   absl::StrCat(ToAbsl(provider), " sent a response that is not of type ", ToAbsl(type)));
}

}  // namespace toolgate::executors::providers
