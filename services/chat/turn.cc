#include "services/chat/turn.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/json.h"

namespace toolgate::services::chat {
namespace {

using internal::v1::ChatModelRecord;
using internal::v1::ChatToolUse;

bool ReadsOn(const ChatToolUse& use) { return use.name() == kReadOnTool; }

struct CallCounts {
  int& Of(const ChatToolUse& use) { return ReadsOn(use) ? reading_on : others; }

  int reading_on = 0;
  int others = 0;
};

// A call whose arguments are complete is not, though the answer was. Where the model ended itself, none are empty.
bool IsCutOff(const ChatToolUse& use, const ChatModelRecord& model) {
  if (use.arguments_json().empty()) return true;
  if (model.stop_reason() != kStopLength && model.stop_reason() != kStopRefusal) return false;
  const absl::StatusOr<Json> arguments = ParseJson(use.arguments_json());
  return !arguments.ok() || !arguments->is_object();
}

// The model's latest message, unless a user's follows it; or the number of messages.
size_t LatestModelMessage(const std::vector<LoggedMessage>& messages) {
  for (size_t i = messages.size(); i > 0; --i) {
    if (messages[i - 1].record.has_user()) break;
    if (messages[i - 1].record.has_model()) return i - 1;
  }
  return messages.size();
}

}  // namespace

size_t TurnBegin(const std::vector<LoggedMessage>& messages) {
  for (size_t i = messages.size(); i > 0; --i) {
    if (messages[i - 1].record.has_user()) return i - 1;
  }
  return messages.size();
}

std::vector<PendingCall> PendingCalls(const std::vector<LoggedMessage>& messages) {
  const size_t latest = LatestModelMessage(messages);
  std::vector<PendingCall> pending;
  if (latest == messages.size()) return pending;
  CallCounts earlier;
  for (size_t i = TurnBegin(messages); i < latest; ++i) {
    for (const ChatToolUse& use : messages[i].record.model().tool_uses()) ++earlier.Of(use);
  }
  const ChatModelRecord& model = messages[latest].record.model();
  const auto answered = static_cast<int>(messages.size() - latest - 1);
  for (int i = 0; i < model.tool_uses_size(); ++i) {
    const ChatToolUse& use = model.tool_uses(i);
    const int before = earlier.Of(use)++;
    if (i < answered) continue;
    pending.push_back({.use = use,
                       .earlier_calls = before,
                       .reads_on = ReadsOn(use),
                       .cut_off = IsCutOff(use, model),
                       .at_limit = model.stop_reason() == kStopLength,
                       .idempotency_key = absl::StrCat("chat/", messages[latest].id, "/", i)});
  }
  return pending;
}

std::optional<PendingCall> FirstPendingCall(const std::vector<LoggedMessage>& messages) {
  std::vector<PendingCall> pending = PendingCalls(messages);
  if (pending.empty()) return std::nullopt;
  return std::move(pending.front());
}

bool HasAnswer(const std::vector<LoggedMessage>& messages) {
  return !messages.empty() && messages.back().record.has_model() && messages.back().record.model().tool_uses().empty();
}

bool HasToolResult(const std::vector<LoggedMessage>& messages) {
  for (size_t i = TurnBegin(messages); i < messages.size(); ++i) {
    if (messages[i].record.has_tool()) return true;
  }
  return false;
}

v1::ChatUsage UsageOf(const std::vector<LoggedMessage>& messages) {
  v1::ChatUsage usage;
  for (size_t i = TurnBegin(messages); i < messages.size(); ++i) {
    if (!messages[i].record.has_model()) continue;
    const ChatModelRecord& model = messages[i].record.model();
    usage.set_input_tokens(usage.input_tokens() + model.input_tokens());
    usage.set_output_tokens(usage.output_tokens() + model.output_tokens());
    usage.set_model_calls(usage.model_calls() + 1);
    usage.set_tool_calls(usage.tool_calls() + model.tool_uses_size());
  }
  return usage;
}

}  // namespace toolgate::services::chat
