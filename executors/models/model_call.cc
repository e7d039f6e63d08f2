#include "executors/models/model_call.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/answer_error.h"

namespace toolgate::executors::models {
namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kEventStreamType = "text/event-stream";
constexpr size_t kMaxShownType = 64;

// The media type without its parameters, in lower case.
std::string MediaType(const http::ResponseHead& head) {
  const std::string_view header = head.Find("content-type");
  return absl::AsciiStrToLower(absl::StripAsciiWhitespace(ToAbsl(header.substr(0, header.find(';')))));
}

// The type as a message may show it: a service of another kind at that address is the usual reason.
std::string ShownType(const std::string& type) {
  const bool plain = type.size() <= kMaxShownType && std::all_of(type.begin(), type.end(), [](unsigned char c) {
                       return absl::ascii_isalnum(c) || c == '/' || c == '.' || c == '+' || c == '-';
                     });
  return plain ? type : "another";
}

// A server that names no type is believed.
absl::Status CheckType(const http::ResponseHead& head, std::string_view expected) {
  const std::string type = MediaType(head);
  if (type.empty() || type == expected) return absl::OkStatus();
  return HopelessAnswer(absl::StrCat("its content type is ", ShownType(type), ", not ", ToAbsl(expected),
                                     "; check base_url of the provider"));
}

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
    RETURN_IF_ERROR(CheckType(response.head, kJsonType));
    RETURN_IF_ERROR(reader.Whole(response.body));
    return reader.Finish();
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<providers::ProviderStream> stream, provider.Open(request, scope));
  RETURN_IF_ERROR(CheckType(stream->head(), kEventStreamType));
  RETURN_IF_ERROR(ReadEvents(*stream, reader, scope.wait));
  return reader.Finish();
}

}  // namespace toolgate::executors::models
