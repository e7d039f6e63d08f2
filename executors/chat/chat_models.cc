#include "executors/chat/chat_models.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"

namespace toolgate::executors::chat {

absl::StatusOr<const ConfiguredModel*> ChatModels::Find(std::string_view name) const {
  if (models_.empty()) {
    return MakeError(ErrorCode::kNotConfigured,
                     "no model is configured for chats; the operator sets one in the section chat.models");
  }
  const std::string_view wanted = name.empty() ? std::string_view(default_name_) : name;
  const auto found = wanted.empty() ? models_.begin()
                                    : std::find_if(models_.begin(), models_.end(),
                                                   [&](const ConfiguredModel& row) { return row.name == wanted; });
  if (found == models_.end()) {
    const std::string known = absl::StrJoin(
        models_, ", ", [](std::string* out, const ConfiguredModel& row) { absl::StrAppend(out, row.name); });
    return InvalidArgument("model", "enum", absl::StrCat("model names none of the configured ones, which are ", known),
                           absl::StrCat("one of ", known));
  }
  if (found->provider != nullptr) RETURN_IF_ERROR(found->provider->Configured());
  return &*found;
}

}  // namespace toolgate::executors::chat
