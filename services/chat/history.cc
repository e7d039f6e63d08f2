#include "services/chat/history.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/tool_error.h"
#include "executors/models/thought_splitter.h"
#include "executors/models/turn_layout.h"
#include "executors/models/wire_ids.h"
#include "security/tool_call.h"
#include "services/rendering/result_renderer.h"

namespace toolgate::services::chat {
namespace {

using executors::models::Message;
using executors::models::Role;
using executors::models::ToolAnswer;
using internal::v1::ChatModelRecord;
using internal::v1::ChatToolRecord;
using internal::v1::ChatToolUse;
using internal::v1::ChatUserRecord;

Message FromUser(const ChatUserRecord& user) {
  Message message;
  message.role = Role::kUser;
  message.text = user.text();
  for (const v1::ChatImage& image : user.images()) message.images.push_back({image.media_type(), image.data(), ""});
  return message;
}

// The id of a call as `model` is told it: the provider's own if it made the call, else one that every API takes.
std::string IdFor(const ChatToolUse& use, const ChatModelRecord& asked, std::string_view model) {
  if (asked.model() != model) return executors::models::PortableId(use.id());
  return use.provider_id().empty() ? use.id() : use.provider_id();
}

// Whether an earlier version may have stored thoughts in the text. It did so with chat completions alone, where the
// server did not tell them apart itself.
bool MayHoldThoughts(const ChatModelRecord& record, v1::ResultFormat form, std::string_view model) {
  if (record.thoughts_split() || !record.reasoning().empty()) return false;
  const bool of_other_api = form == v1::RESULT_FORMAT_ANTHROPIC || form == v1::RESULT_FORMAT_GEMINI;
  if (of_other_api && record.model() == model) return false;
  return !executors::models::TurnLayout::IsIn(record.provider_state());
}

Message FromModel(const ChatModelRecord& record, v1::ResultFormat form, std::string_view model) {
  Message message;
  message.role = Role::kAssistant;
  message.text =
      MayHoldThoughts(record, form, model) ? executors::models::WithoutThoughts(record.text()) : record.text();
  message.reasoning = record.reasoning();
  for (const ChatToolUse& use : record.tool_uses()) {
    message.tool_uses.push_back({IdFor(use, record, model), use.name(), use.arguments_json()});
  }
  if (record.model() == model) message.provider_state = record.provider_state();
  return message;
}

std::string Rendered(const ChatToolRecord& record, const std::string& id, v1::ResultFormat form) {
  if (record.refused()) return rendering::RenderRefusal(FromPayload(record.error()), record.tool_id(), id, form);
  security::ToolResult result;
  result.success = !record.has_error();
  if (record.has_error()) result.error = FromPayload(record.error());
  result.data_json = record.data_json();
  result.untrusted = record.untrusted();
  result.boundary = record.boundary();
  result.truncated = record.truncated();
  result.continuation = record.continuation();
  return rendering::RenderResult(result, record.tool_id(), id, form, kReadOnTool);
}

ToolAnswer FromTool(const ChatToolRecord& record, const ChatModelRecord& asked, v1::ResultFormat form,
                    std::string_view model) {
  const auto use = std::find_if(asked.tool_uses().begin(), asked.tool_uses().end(),
                                [&](const ChatToolUse& one) { return one.id() == record.tool_use_id(); });
  const bool known = use != asked.tool_uses().end();
  ToolAnswer answer;
  answer.tool_use_id = known ? IdFor(*use, asked, model) : record.tool_use_id();
  answer.name = known ? use->name() : record.tool_id();  // As the provider knows it.
  answer.rendered = Rendered(record, answer.tool_use_id, form);
  answer.is_error = record.has_error();
  return answer;
}

}  // namespace

std::vector<Message> ToModelMessages(const std::vector<LoggedMessage>& messages, v1::ResultFormat form,
                                     std::string_view model) {
  std::vector<Message> out;
  const ChatModelRecord* asked = &ChatModelRecord::default_instance();
  for (const LoggedMessage& message : messages) {
    if (message.record.has_user()) {
      out.push_back(FromUser(message.record.user()));
    } else if (message.record.has_model()) {
      asked = &message.record.model();
      out.push_back(FromModel(*asked, form, model));
    } else {
      if (out.empty() || out.back().role != Role::kTool) out.emplace_back().role = Role::kTool;
      out.back().tool_answers.push_back(FromTool(message.record.tool(), *asked, form, model));
    }
  }
  return out;
}

}  // namespace toolgate::services::chat
