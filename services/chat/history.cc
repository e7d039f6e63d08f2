#include "services/chat/history.h"

#include <algorithm>
#include <utility>

#include "common/tool_error.h"
#include "security/tool_call.h"
#include "services/rendering/result_renderer.h"

namespace toolgate::services::chat {
namespace {

using executors::models::Message;
using executors::models::Role;
using executors::models::ToolAnswer;
using internal::v1::ChatModelRecord;
using internal::v1::ChatToolRecord;
using internal::v1::ChatUserRecord;

Message FromUser(const ChatUserRecord& user) {
  Message message;
  message.role = Role::kUser;
  message.text = user.text();
  for (const v1::ChatImage& image : user.images()) message.images.push_back({image.media_type(), image.data(), ""});
  return message;
}

Message FromModel(const ChatModelRecord& record, std::string_view model) {
  Message message;
  message.role = Role::kAssistant;
  message.text = record.text();
  message.reasoning = record.reasoning();
  for (const auto& use : record.tool_uses()) {
    message.tool_uses.push_back({use.id(), use.name(), use.arguments_json()});
  }
  if (record.model() == model) message.provider_state = record.provider_state();
  return message;
}

std::string Rendered(const ChatToolRecord& record, v1::ResultFormat form) {
  if (record.refused()) {
    return rendering::RenderRefusal(FromPayload(record.error()), record.tool_id(), record.tool_use_id(), form);
  }
  security::ToolResult result;
  result.success = !record.has_error();
  if (record.has_error()) result.error = FromPayload(record.error());
  result.data_json = record.data_json();
  result.untrusted = record.untrusted();
  result.boundary = record.boundary();
  return rendering::RenderResult(result, record.tool_id(), record.tool_use_id(), form);
}

// The provider's name of the tool in the call that `record` answers.
std::string NameOf(const ChatToolRecord& record, const ChatModelRecord& asked) {
  const auto found = std::find_if(asked.tool_uses().begin(), asked.tool_uses().end(),
                                  [&](const auto& use) { return use.id() == record.tool_use_id(); });
  return found == asked.tool_uses().end() ? record.tool_id() : found->name();
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
      out.push_back(FromModel(*asked, model));
    } else {
      const ChatToolRecord& record = message.record.tool();
      if (out.empty() || out.back().role != Role::kTool) out.emplace_back().role = Role::kTool;
      out.back().tool_answers.push_back(
          {record.tool_use_id(), NameOf(record, *asked), Rendered(record, form), record.has_error()});
    }
  }
  return out;
}

}  // namespace toolgate::services::chat
