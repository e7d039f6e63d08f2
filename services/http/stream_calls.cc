#include "services/http/stream_calls.h"

#include <utility>

#include "common/status_macros.h"
#include "services/api/chat_api.h"
#include "services/api/event_writer.h"
#include "services/api/tool_api.h"
#include "services/chat/chat_writer.h"
#include "services/http/message_json.h"

namespace toolgate::services::http {
namespace {

// Events of a tool call. Remembers the latest failure to write one, since only WriteOutput can tell of it.
class ToolEventWriter final : public api::EventWriter {
 public:
  explicit ToolEventWriter(EventStream& events) : events_(events) {}

  void Write(const v1::ExecuteStreamResponse& event) override {
    const absl::StatusOr<ServerSentEvent> written = ChoiceToEvent(event);
    last_written_ = written.status();
    if (written.ok()) events_.Send(*written);
  }
  void WriteProgress(const v1::ExecuteStreamResponse& event) override {
    absl::StatusOr<ServerSentEvent> written = ChoiceToEvent(event);
    if (!written.ok()) return;
    written->replaceable = true;
    events_.Send(*written);
  }
  absl::Status WriteOutput(const v1::ExecuteStreamResponse& event, const fibers::Cancellation& cancellation) override {
    ASSIGN_OR_RETURN(const ServerSentEvent written, ChoiceToEvent(event));
    return events_.SendAndWait(written, cancellation);
  }

  const absl::Status& last_written() const { return last_written_; }

 private:
  EventStream& events_;
  absl::Status last_written_;
};

// Events of a chat.
class ChatEventWriter final : public chat::ChatWriter {
 public:
  explicit ChatEventWriter(EventStream& events) : events_(events) {}

  absl::Status Write(const v1::ChatResponse& event, const fibers::Cancellation& cancellation) override {
    ASSIGN_OR_RETURN(const ServerSentEvent written, ChoiceToEvent(event));
    return events_.SendAndWait(written, cancellation);
  }

 private:
  EventStream& events_;
};

}  // namespace

absl::Status StreamExecute(const api::KnownCall& known, RequestParts parts, fibers::Cancellation& cancellation,
                           EventStream& events) {
  v1::ExecuteStreamRequest request;
  RETURN_IF_ERROR(ReadExecuteRequest(std::move(parts), *request.mutable_request()));
  ToolEventWriter writer(events);
  RETURN_IF_ERROR(api::ExecuteStream(known, request, cancellation, writer));
  return writer.last_written();
}

absl::Status StreamChat(const api::KnownCall& known, RequestParts parts, fibers::Cancellation& cancellation,
                        EventStream& events) {
  v1::ChatRequest request;
  RETURN_IF_ERROR(ReadRequest(std::move(parts), request));
  ChatEventWriter writer(events);
  RETURN_IF_ERROR(api::Chat(known, request, writer, cancellation));
  events.Send({"", "[DONE]"});
  return absl::OkStatus();
}

}  // namespace toolgate::services::http
