#include "executors/models/model_call.h"

#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/answer_error.h"
#include "executors/providers/content_type.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/client_span.h"

namespace toolgate::executors::models {
namespace {

namespace tracing = observability::tracing;

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kEventStreamType = "text/event-stream";

providers::ProviderRequest HttpRequest(const ModelCall& call) {
  providers::ProviderRequest request = {.path = call.path,
                                        .headers = call.headers,
                                        .body = DumpJson(call.body),
                                        .repeatable = true,
                                        .whole = !call.stream,
                                        .span_name = absl::StrCat(ToAbsl(tracing::kChat), " ", call.model),
                                        .span_attributes = {{tracing::kGenAiOperationName, std::string(tracing::kChat)},
                                                            {tracing::kGenAiProviderName, std::string(call.api)},
                                                            {tracing::kGenAiRequestModel, call.model}}};
  request.headers.push_back({"content-type", std::string(kJsonType)});
  request.headers.push_back({"accept", std::string(call.stream ? kEventStreamType : kJsonType)});
  return request;
}

absl::Status ReadEvents(providers::ProviderStream& stream, AnswerReader& reader, fibers::Wait wait) {
  http::EventStreamParser parser(WireJsonLimits().max_bytes);
  while (!reader.complete()) {
    ASSIGN_OR_RETURN(const std::string piece, stream.Next(wait));
    if (piece.empty()) break;
    auto events = parser.Feed(piece);
    if (!events.ok()) return HopelessAnswer("an event of its stream is too long");
    for (const http::ServerEvent& event : *events) RETURN_IF_ERROR(reader.Event(event));
  }
  return absl::OkStatus();
}

absl::Status ReadWhole(providers::ProviderStream& stream, AnswerReader& reader, fibers::Wait wait) {
  std::string body;
  while (true) {
    ASSIGN_OR_RETURN(const std::string piece, stream.Next(wait));
    if (piece.empty()) return reader.Whole(body);
    body += piece;
  }
}

// Services that do not say how many tokens they used leave zeros.
void Describe(const ModelAnswer& answer, tracing::ClientSpan& span) {
  if (!answer.model.empty()) span.Set(tracing::kGenAiResponseModel, answer.model);
  if (answer.input_tokens > 0) span.Set(tracing::kGenAiUsageInputTokens, answer.input_tokens);
  if (answer.output_tokens > 0) span.Set(tracing::kGenAiUsageOutputTokens, answer.output_tokens);
}

}  // namespace

absl::StatusOr<std::string> ModelName(const ModelRequest& request, const providers::Provider& provider) {
  if (!request.model.empty()) return request.model;
  if (!provider.settings().model().empty()) return provider.settings().model();
  return MakeError(ErrorCode::kNotConfigured,
                   absl::StrCat("No model is named for the provider ", provider.name(), ": set its `model`."));
}

absl::StatusOr<ModelAnswer> AskModel(providers::Provider& provider, const ModelCall& call, AnswerReader& reader,
                                     providers::Scope& scope) {
  ASSIGN_OR_RETURN(const std::unique_ptr<providers::ProviderStream> stream, provider.Open(HttpRequest(call), scope));
  RETURN_IF_ERROR(
      providers::CheckContentType(provider.name(), stream->head(), call.stream ? kEventStreamType : kJsonType));
  RETURN_IF_ERROR(call.stream ? ReadEvents(*stream, reader, scope.wait) : ReadWhole(*stream, reader, scope.wait));
  ASSIGN_OR_RETURN(ModelAnswer answer, reader.Finish());
  Describe(answer, stream->span());
  return answer;
}

}  // namespace toolgate::executors::models
