#include "services/api/chat_request.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "security/injection_defence/injection_defence.h"
#include "services/chat/chat_loop.h"
#include "services/chat/turn.h"

namespace toolgate::services::api {
namespace {

using executors::InvalidArgument;
using executors::MissingArgument;

constexpr size_t kMaxRequestId = 128;
constexpr int kMaxImages = 4;
constexpr size_t kMaxImageBytes = size_t{2} << 20;  // Of all together.
constexpr std::array<std::string_view, 4> kImageTypes = {"image/png", "image/jpeg", "image/webp", "image/gif"};

absl::Status CheckImages(const v1::ChatRequest& request) {
  if (request.images_size() > kMaxImages) {
    return InvalidArgument("images", "maxItems", absl::StrCat("images has ", request.images_size(), " images"),
                           absl::StrCat("at most ", kMaxImages));
  }
  size_t bytes = 0;
  for (const v1::ChatImage& image : request.images()) {
    if (std::find(kImageTypes.begin(), kImageTypes.end(), image.media_type()) == kImageTypes.end()) {
      return InvalidArgument("images/media_type", "enum", "images/media_type names no type of image that is taken",
                             "image/png, image/jpeg, image/webp or image/gif");
    }
    if (image.data().empty()) return InvalidArgument("images/data", "minLength", "images/data is empty", "an image");
    bytes += image.data().size();
  }
  if (bytes <= kMaxImageBytes) return absl::OkStatus();
  return InvalidArgument("images/data", "maxLength", absl::StrCat("the images have ", bytes, " bytes together"),
                         absl::StrCat("at most ", kMaxImageBytes, " bytes"));
}

absl::Status NothingToGoOnWith() {
  return MakeError(ErrorCode::kConflict,
                   "the conversation's latest turn is finished: there is nothing to go on with; send a message");
}

internal::v1::ChatUserRecord RecordOf(const v1::ChatRequest& request) {
  internal::v1::ChatUserRecord record;
  record.set_text(request.message());
  *record.mutable_images() = request.images();
  return record;
}

absl::StatusOr<ChatStart> GoOn(const v1::ChatRequest& request, const chat::ConversationLog& log) {
  if (!log.exists()) return MakeError(ErrorCode::kNotFound, "the user has no such conversation");
  if (log.messages().empty() || chat::HasAnswer(log.messages())) return NothingToGoOnWith();
  if (request.confirmation_token().empty()) return ChatStart::kGoesOn;
  if (!log.pause().has_value()) {
    return InvalidArgument("confirmation_token", "unexpected", "the conversation waits for no confirmation",
                           "a request without confirmation_token");
  }
  if (!ConstantTimeEqual(log.pause()->question().token(), request.confirmation_token())) {
    return InvalidArgument("confirmation_token", "const", "confirmation_token is not of the question that waits",
                           "the token of the latest confirmation_request of this conversation");
  }
  return ChatStart::kGoesOn;
}

}  // namespace

bool GoesOn(const v1::ChatRequest& request) { return request.message().empty() && request.images().empty(); }

absl::Status CheckChatRequest(const v1::ChatRequest& request, const executors::chat::ChatSettings& settings) {
  RETURN_IF_ERROR(security::injection_defence::ValidateModeHint(request.caller().mode_hint()));
  if (request.request_id().size() > kMaxRequestId) {
    return InvalidArgument("request_id", "maxLength", "request_id is too long",
                           absl::StrCat("at most ", kMaxRequestId, " bytes"));
  }
  const auto bytes = static_cast<int64_t>(request.message().size());
  if (bytes > settings.max_message_bytes()) {
    return InvalidArgument("message", "maxLength", absl::StrCat("message has ", bytes, " bytes"),
                           absl::StrCat("at most ", settings.max_message_bytes(), " bytes"));
  }
  RETURN_IF_ERROR(CheckImages(request));
  if (!GoesOn(request)) {
    if (request.confirmation_token().empty()) return absl::OkStatus();
    return InvalidArgument("confirmation_token", "unexpected", "confirmation_token goes with an empty message",
                           "a message, or a confirmation_token");
  }
  if (request.caller().conversation_id().empty()) {
    return MissingArgument("message",
                           "message is required, unless caller.conversation_id names a conversation to go on with");
  }
  return absl::OkStatus();
}

std::string ConversationIdOf(const v1::ChatRequest& request, const std::string& user_id, const Clock& clock,
                             IdSource& ids) {
  if (!request.caller().conversation_id().empty()) return request.caller().conversation_id();
  if (request.request_id().empty()) return ids.NewId(clock.Now());
  return HexEncode(Sha256(absl::StrCat(user_id, "\n", request.request_id()))).substr(0, 32);
}

absl::StatusOr<ChatStart> BeginChat(const v1::ChatRequest& request, chat::ConversationLog& log,
                                    chat::ToolCaller& tools) {
  if (GoesOn(request)) return GoOn(request, log);
  const auto& messages = log.messages();
  if (const size_t begin = chat::TurnBegin(messages);
      begin < messages.size() && !request.request_id().empty() && messages[begin].id == request.request_id()) {
    if (messages[begin].record.user().text() == request.message()) return ChatStart::kRepeated;
    return MakeError(ErrorCode::kConflict, "request_id was used for another message of this conversation");
  }
  RETURN_IF_ERROR(log.BeginTurn(request.request_id(), RecordOf(request), chat::EndedCalls(log, tools)));
  return ChatStart::kNewTurn;
}

}  // namespace toolgate::services::api
