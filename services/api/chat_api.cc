#include "services/api/chat_api.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/message_bounds.h"
#include "common/proto_bytes.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/memory/instruction.h"
#include "executors/memory/prompt.h"
#include "services/api/chat_records.h"
#include "services/api/chat_request.h"
#include "services/api/chat_tools.h"
#include "services/api/offered_tools.h"
#include "services/api/page.h"
#include "services/api/page_token.h"
#include "services/audit/audit_entry.h"
#include "services/chat/chat_loop.h"
#include "services/chat/chats.h"
#include "services/chat/conversation_log.h"
#include "services/chat/turn.h"
#include "services/rendering/catalog_renderer.h"
#include "storage/store.h"

namespace toolgate::services::api {
namespace {

using chat::ChatLimits;
using chat::ChatLoop;
using chat::ConversationLog;
using chat::ModelBrief;
using executors::chat::ChatSettings;
using executors::chat::ConfiguredModel;
using storage::ReadView;

// Of a page with its results: messages have kMaxPageBytes, or one of them a little more.
constexpr size_t kMaxConversationBytes = size_t{3} << 20;
constexpr char kDeleteAction[] = "conversation.delete";

absl::StatusOr<chat::Chats*> ChatsOf(const ApiRuntime& runtime) {
  if (runtime.chats != nullptr) return runtime.chats;
  return MakeError(ErrorCode::kNotConfigured, "this service has no chats; the operator configures chat.models");
}

ChatLimits LimitsOf(const ChatSettings& settings) {
  return {.max_tool_calls = settings.max_tool_calls(),
          .max_turns = settings.max_turns(),
          .max_output_tokens = settings.max_output_tokens(),
          .confirmation_wait = FromProtoDuration(settings.confirmation_wait())};
}

// One Chat whose caller is admitted, with everything that it borrows.
class ChatCall {
 public:
  ChatCall(const KnownCall& known, const Caller& caller, const v1::ChatRequest& request, ChatWriter& writer,
           fibers::Cancellation& cancellation)
      : known_(known), caller_(caller), request_(request), writer_(writer), cancellation_(cancellation) {}

  absl::Status Run(chat::Chats& chats);

 private:
  void BoundTime(absl::Duration timeout);
  absl::StatusOr<ModelBrief> ReadBrief(const ConfiguredModel& model) const;
  absl::Status Talk(chat::Chats& chats, const ConfiguredModel& model, const ModelBrief& brief, ConversationLog& log);
  absl::Status WriteFailure(const absl::Status& failure, const std::string& conversation_id);

  const KnownCall& known_;
  const Caller& caller_;
  const v1::ChatRequest& request_;
  ChatWriter& writer_;
  fibers::Cancellation& cancellation_;
};

void ChatCall::BoundTime(absl::Duration timeout) {
  const Clock& clock = known_.runtime().clock;
  // Infinite when the client set no deadline.
  cancellation_.Reset(clock, clock.Monotonic() + (known_.inbound().deadline - clock.Now()));
  cancellation_.TightenByService(clock.Monotonic() + timeout);
}

// The instruction of the user, and the tools that they may use.
absl::StatusOr<ModelBrief> ChatCall::ReadBrief(const ConfiguredModel& model) const {
  ModelBrief brief;
  brief.name = model.name;
  brief.reasoning = model.reasoning;
  brief.extra = model.extra;
  const absl::Status read = known_.runtime().store.Read(
      caller_.workspace_id, known_.PatienceOf(caller_, cancellation_), [&](ReadView& view) -> absl::Status {
        ASSIGN_OR_RETURN(const auto instruction, executors::memory::ReadInstruction(view, caller_.user_id));
        brief.system = executors::memory::BuildPrompt(instruction).value_or("");
        std::vector<const executors::Tool*> offered;
        for (const executors::Tool& tool : known_.core().catalog().tools()) {
          if (!FitsMode(caller_.mode_hint, tool.definition)) continue;
          ASSIGN_OR_RETURN(const bool is_offered, IsOffered(known_.core(), caller_, tool, view));
          if (is_offered) offered.push_back(&tool);
        }
        if (offered.empty()) return absl::OkStatus();
        // For results that are cut, which every tool may have.
        if (const executors::Tool* tool = known_.core().catalog().Find(chat::kReadOnTool); tool != nullptr) {
          offered.push_back(tool);
        }
        ASSIGN_OR_RETURN(brief.tools_json, rendering::RenderCatalog(offered, model.model->catalog_format()));
        return absl::OkStatus();
      });
  RETURN_IF_ERROR(read);
  return brief;
}

absl::Status ChatCall::Run(chat::Chats& chats) {
  const ApiRuntime& runtime = known_.runtime();
  const ChatSettings& settings = chats.settings();
  RETURN_IF_ERROR(CheckChatRequest(request_, settings));
  ASSIGN_OR_RETURN(const ConfiguredModel* model, chats.models().Find(request_.model()));
  BoundTime(FromProtoDuration(settings.timeout()));
  const std::string id = ConversationIdOf(request_, caller_.user_id, runtime.clock, runtime.ids);
  ASSIGN_OR_RETURN(const chat::ChatLeases::Lease lease,
                   chats.leases().Take({caller_.workspace_id, caller_.user_id, id}));
  ASSIGN_OR_RETURN(const std::unique_ptr<ConversationLog> log,
                   ConversationLog::Open({runtime.store, runtime.clock, runtime.ids, caller_.workspace_id,
                                          caller_.user_id, known_.call_span()},
                                         id, settings.max_history_bytes(), cancellation_));
  ASSIGN_OR_RETURN(const ModelBrief brief, ReadBrief(*model));
  return Talk(chats, *model, brief, *log);
}

absl::Status ChatCall::Talk(chat::Chats& chats, const ConfiguredModel& model, const ModelBrief& brief,
                            ConversationLog& log) {
  v1::Caller claimed = request_.caller();
  claimed.set_conversation_id(log.id());
  claimed.set_ai_model(model.name);
  ChatTools tools(known_, caller_, std::move(claimed), log, static_cast<size_t>(chats.settings().max_result_bytes()),
                  cancellation_);
  const Clock& clock = known_.runtime().clock;
  const auto wait = [&](fibers::Event& event, absl::Duration timeout) {
    return chats.waits().Wait(event, cancellation_, clock.Monotonic() + timeout);
  };
  const observability::tracing::CallSpan span = known_.call_span();
  executors::providers::Scope scope{wait, span};
  ASSIGN_OR_RETURN(const ChatStart start, BeginChat(request_, log, tools));
  ChatLoop loop({*model.model, tools, log, writer_, cancellation_, scope}, brief, LimitsOf(chats.settings()),
                request_.confirmation_token());
  absl::Status ended = start == ChatStart::kRepeated ? loop.Replay() : absl::OkStatus();
  if (ended.ok()) ended = loop.Run();
  if (ended.ok() || cancellation_.EndedByCaller()) return ended;
  return WriteFailure(ended, log.id());
}

absl::Status ChatCall::WriteFailure(const absl::Status& failure, const std::string& conversation_id) {
  const ToolError error = GetToolError(known_.core().Safe(failure)).value_or(ToolError());
  v1::ChatResponse event;
  v1::ChatError& out = *event.mutable_error();
  out.set_code(std::string(ErrorCodeName(error.code)));
  out.set_message(error.message);
  audit::SetToolError(error, *out.mutable_error());
  out.set_conversation_id(conversation_id);
  // The event is queued even when the time is over.
  writer_.Write(event, cancellation_).IgnoreError();
  return absl::OkStatus();
}

// Place from which a listing goes on: "MICROSECONDS/ID".
std::string PositionOf(const storage::Conversation& row) {
  return absl::StrCat(absl::ToUnixMicros(row.updated_at), "/", row.id);
}

absl::StatusOr<storage::ConversationPlace> PlaceAt(const std::string& position) {
  if (position.empty()) return storage::ConversationPlace();
  const size_t slash = position.find('/');
  int64_t micros = 0;
  if (slash == std::string::npos || !absl::SimpleAtoi(position.substr(0, slash), &micros)) return MalformedPageToken();
  return storage::ConversationPlace{absl::FromUnixMicros(micros), position.substr(slash + 1)};
}

absl::Status ListFor(ReadView& view, const Caller& caller, const v1::ListConversationsRequest& request,
                     v1::ListConversationsResponse& response) {
  ASSIGN_OR_RETURN(const std::string position, ReadPageToken(request.page_token(), caller.user_id));
  ASSIGN_OR_RETURN(const storage::ConversationPlace after, PlaceAt(position));
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 50, 200));
  ASSIGN_OR_RETURN(const auto rows, view.ListConversations(caller.user_id, size + 1, after));
  Page page(size);
  const storage::Conversation* last = nullptr;
  for (const storage::Conversation& found : rows) {
    v1::Conversation row;
    RETURN_IF_ERROR(FillConversation(found, row));
    if (!page.Take(row)) {
      response.set_next_page_token(MakePageToken(PositionOf(*last), caller.user_id));
      break;
    }
    last = &found;
    *response.add_conversations() = std::move(row);
  }
  return absl::OkStatus();
}

absl::Status AddResults(ReadView& view, const Caller& caller, const std::string& id,
                        v1::GetConversationResponse& response) {
  if (response.messages().empty()) return absl::OkStatus();
  const int64_t first = response.messages(0).number();
  const int64_t last = response.messages().rbegin()->number();
  ASSIGN_OR_RETURN(const auto artifacts, view.ListArtifacts(caller.user_id, id, first, last));
  size_t bytes = response.ByteSizeLong();
  for (const storage::StoredArtifact& artifact : artifacts) {
    v1::ChatMessage& message = *response.mutable_messages(static_cast<int>(artifact.message_number - first));
    bytes += artifact.bytes.size();
    if (bytes > kMaxConversationBytes) {
      message.set_results_omitted(message.results_omitted() + 1);
    } else {
      RETURN_IF_ERROR(ParseProto(artifact.bytes, *message.add_results()));
    }
  }
  return absl::OkStatus();
}

absl::Status GetFor(ReadView& view, const Caller& caller, const v1::GetConversationRequest& request,
                    v1::GetConversationResponse& response) {
  const std::string& id = request.conversation_id();
  const std::string filters = absl::StrCat(caller.user_id, "\n", id);
  ASSIGN_OR_RETURN(const std::string position, ReadPageToken(request.page_token(), filters));
  ASSIGN_OR_RETURN(const int64_t size, PageSize(request.page_size(), 50, 200));
  storage::MessageQuery query{.limit = size, .max_bytes = static_cast<int64_t>(kMaxPageBytes)};
  if (!position.empty() && !absl::SimpleAtoi(position, &query.from)) return MalformedPageToken();
  ASSIGN_OR_RETURN(const auto conversation, view.FindConversation(caller.user_id, id));
  if (!conversation.has_value()) return MakeError(ErrorCode::kNotFound, "the user has no such conversation");
  RETURN_IF_ERROR(FillConversation(*conversation, *response.mutable_conversation()));
  ASSIGN_OR_RETURN(const auto messages, view.ListMessages(caller.user_id, id, query));
  for (const storage::StoredMessage& message : messages)
    RETURN_IF_ERROR(FillChatMessage(message, *response.add_messages()));
  if (!messages.empty() && messages.back().number + 1 < conversation->message_count) {
    response.set_next_page_token(MakePageToken(absl::StrCat(messages.back().number + 1), filters));
  }
  return AddResults(view, caller, id, response);
}

}  // namespace

absl::Status Chat(const KnownCall& known, const v1::ChatRequest& request, ChatWriter& writer,
                  fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const Caller caller, known.Admit(request.caller()));
  const absl::StatusOr<chat::Chats*> chats = ChatsOf(known.runtime());
  if (!chats.ok()) return known.core().Safe(chats.status());
  return known.core().Safe(ChatCall(known, caller, request, writer, cancellation).Run(**chats));
}

absl::Status ListConversations(const KnownCall& known, const v1::ListConversationsRequest& request,
                               v1::ListConversationsResponse& response, fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const Caller caller, known.Admit(request.caller()));
  return known.core().Safe(
      known.runtime().store.Read(caller.workspace_id, known.PatienceOf(caller, cancellation),
                                 [&](ReadView& view) { return ListFor(view, caller, request, response); }));
}

absl::Status GetConversation(const KnownCall& known, const v1::GetConversationRequest& request,
                             v1::GetConversationResponse& response, fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const Caller caller, known.Admit(request.caller()));
  return known.core().Safe(
      known.runtime().store.Read(caller.workspace_id, known.PatienceOf(caller, cancellation),
                                 [&](ReadView& view) { return GetFor(view, caller, request, response); }));
}

absl::Status DeleteConversation(const KnownCall& known, const v1::DeleteConversationRequest& request,
                                v1::DeleteConversationResponse& response, fibers::Cancellation& cancellation) {
  const ApiRuntime& runtime = known.runtime();
  const Core& core = known.core();
  const Json params{{"conversationId", request.conversation_id()}};
  ASSIGN_OR_RETURN(const Caller caller, known.AdmitTo(kDeleteAction, params, request.caller()));
  std::optional<chat::ChatLeases::Lease> lease;
  if (runtime.chats != nullptr) {
    absl::StatusOr<chat::ChatLeases::Lease> taken =
        runtime.chats->leases().Take({caller.workspace_id, caller.user_id, request.conversation_id()});
    if (!taken.ok()) return core.Record(caller, kDeleteAction, params, taken.status());
    lease.emplace(*std::move(taken));
  }
  const absl::Time now = runtime.clock.Now();
  const std::string entry_id = runtime.ids.NewId(now);
  const storage::WriteContext write{caller.workspace_id, caller.user_id, entry_id, now, known.call_span()};
  bool deleted = false;
  const absl::Status status = runtime.store.Commit(
      write, storage::CommitMode::kDurable, cancellation, [&](storage::Transaction& tx) -> absl::Status {
        ASSIGN_OR_RETURN(deleted, tx.DeleteConversation(caller.user_id, request.conversation_id()));
        return tx.AppendAudit(core.OperatorEntry({entry_id, kDeleteAction, params}, caller, now));
      });
  if (!status.ok()) return core.Record(caller, kDeleteAction, params, status);
  response.set_deleted(deleted);
  return absl::OkStatus();
}

}  // namespace toolgate::services::api
