#include "executors/models/model_call.h"

#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/answer_error.h"
#include "executors/providers/content_type.h"

namespace toolgate::executors::models {
namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kEventStreamType = "text/event-stream";

providers::ProviderRequest HttpRequest(const ModelCall& call) {
  providers::ProviderRequest request = {.path = call.path,
                                        .headers = call.headers,
                                        .body = DumpJson(call.body),
                                        .repeatable = true,
                                        .span_name = absl::StrCat("chat ", call.model)};
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

}  // namespace

absl::StatusOr<std::string> ModelName(const ModelRequest& request, const providers::Provider& provider) {
  if (!request.model.empty()) return request.model;
  if (!provider.settings().model().empty()) return provider.settings().model();
  return MakeError(ErrorCode::kNotConfigured,
                   absl::StrCat("No model is named for the provider ", provider.name(), ": set its `model`."));
}

absl::StatusOr<ModelAnswer> AskModel(providers::Provider& provider, const ModelCall& call, AnswerReader& reader,
                                     providers::Scope& scope) {
  const providers::ProviderRequest request = HttpRequest(call);
  if (!call.stream) {
    ASSIGN_OR_RETURN(const http::Response response, provider.Send(request, scope));
    RETURN_IF_ERROR(providers::CheckContentType(provider.name(), response.head, kJsonType));
    RETURN_IF_ERROR(reader.Whole(response.body));
    return reader.Finish();
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<providers::ProviderStream> stream, provider.Open(request, scope));
  RETURN_IF_ERROR(providers::CheckContentType(provider.name(), stream->head(), kEventStreamType));
  RETURN_IF_ERROR(ReadEvents(*stream, reader, scope.wait));
  return reader.Finish();
}

}  // namespace toolgate::executors::models
