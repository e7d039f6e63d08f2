#include "services/api/chat_records.h"

#include "common/proto_bytes.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/audit/audit_entry.h"
#include "toolgate/internal/v1/chat.pb.h"

namespace toolgate::services::api {
namespace {

using internal::v1::ChatModelRecord;
using internal::v1::ChatPause;
using internal::v1::ChatRecord;
using internal::v1::ChatToolRecord;

void FillModel(const ChatModelRecord& record, v1::ChatMessage& out) {
  out.set_role(v1::CHAT_ROLE_ASSISTANT);
  out.set_text(record.text());
  out.set_reasoning(record.reasoning());
  out.set_model(record.model());
  for (const auto& use : record.tool_uses()) {
    v1::ToolCallStart& row = *out.add_tool_calls();
    row.set_tool_name(use.name());
    row.set_tool_call_id(use.id());
    row.set_arguments_json(use.arguments_json());
  }
}

void FillTool(const ChatToolRecord& record, v1::ChatMessage& out) {
  out.set_role(v1::CHAT_ROLE_TOOL);
  out.set_text(record.data_json());
  out.set_untrusted(record.untrusted());
  v1::ToolCallResult& result = *out.mutable_tool_result();
  result.set_tool_name(record.tool_id());
  result.set_tool_call_id(record.tool_use_id());
  result.set_latency_ms(record.latency_ms());
  result.set_success(!record.has_error());
  if (record.has_error()) audit::SetToolError(FromPayload(record.error()), *result.mutable_error());
}

}  // namespace

absl::Status FillConversation(const storage::Conversation& conversation, v1::Conversation& out) {
  out.set_id(conversation.id);
  out.set_title(conversation.title);
  out.set_message_count(conversation.message_count);
  SetProtoTime(conversation.created_at, *out.mutable_created_at());
  SetProtoTime(conversation.updated_at, *out.mutable_updated_at());
  if (conversation.pause.empty()) return absl::OkStatus();
  ChatPause pause;
  RETURN_IF_ERROR(ParseProto(conversation.pause, pause));
  *out.mutable_pending_confirmation() = std::move(*pause.mutable_question());
  out.mutable_pending_confirmation()->clear_token();
  return absl::OkStatus();
}

absl::Status FillChatMessage(const storage::StoredMessage& message, v1::ChatMessage& out) {
  ChatRecord record;
  RETURN_IF_ERROR(ParseProto(message.bytes, record));
  out.set_id(message.id);
  out.set_number(message.number);
  SetProtoTime(message.created_at, *out.mutable_created_at());
  switch (record.message_case()) {
    case ChatRecord::kUser:
      out.set_role(v1::CHAT_ROLE_USER);
      out.set_text(record.user().text());
      *out.mutable_images() = std::move(*record.mutable_user()->mutable_images());
      return absl::OkStatus();
    case ChatRecord::kModel:
      FillModel(record.model(), out);
      return absl::OkStatus();
    case ChatRecord::kTool:
      FillTool(record.tool(), out);
      return absl::OkStatus();
    case ChatRecord::MESSAGE_NOT_SET:
      break;
  }
  return absl::DataLossError("a stored message of a conversation has no speaker");
}

}  // namespace toolgate::services::api
