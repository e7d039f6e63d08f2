#include "executors/models/model_call.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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

// Pieces of a body, the first of which was looked at before.
class Body {
 public:
  Body(providers::ProviderStream& stream, fibers::Wait wait) : stream_(stream), wait_(wait) {}

  // Empty at the end.
  absl::StatusOr<std::string> Next() {
    if (!begin_.empty()) return std::exchange(begin_, "");
    return stream_.Next(wait_);
  }
  // The first character that is no white space, or 0.
  absl::StatusOr<char> FirstCharacter() {
    while (true) {
      const size_t first = begin_.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
      if (first != std::string::npos) return begin_[first];
      if (begin_.size() > kMaxBlank) return '\0';
      ASSIGN_OR_RETURN(const std::string piece, stream_.Next(wait_));
      if (piece.empty()) return '\0';
      begin_ += piece;
    }
  }

 private:
  static constexpr size_t kMaxBlank = 4096;

  providers::ProviderStream& stream_;
  const fibers::Wait wait_;
  std::string begin_;
};

// Some servers end an event with one line break. Its lines are JSON by themselves then, and not together.
absl::Status ReadEvent(const http::ServerEvent& event, AnswerReader& reader) {
  if (!absl::StrContains(event.data, '\n') || ParseJson(event.data, WireJsonLimits()).ok()) return reader.Event(event);
  for (const absl::string_view line : absl::StrSplit(event.data, '\n', absl::SkipWhitespace())) {
    RETURN_IF_ERROR(reader.Event({event.type, std::string(line)}));
  }
  return absl::OkStatus();
}

bool IsWhole(std::string_view data) { return data == "[DONE]" || ParseJson(data, WireJsonLimits()).ok(); }

// An event without its end is one if it is complete, and else a sign that the stream was cut off.
absl::Status ReadRest(http::ServerEvent rest, AnswerReader& reader) {
  if (const size_t last = rest.data.rfind('\n'); last != std::string::npos && !IsWhole(rest.data.substr(last + 1))) {
    rest.data.resize(last);
  }
  const bool several = absl::StrContains(rest.data, '\n');
  return several || IsWhole(rest.data) ? ReadEvent(rest, reader) : absl::OkStatus();
}

absl::Status ReadEvents(Body& body, AnswerReader& reader) {
  http::EventStreamParser parser(WireJsonLimits().max_bytes);
  while (!reader.complete()) {
    ASSIGN_OR_RETURN(const std::string piece, body.Next());
    if (piece.empty()) {
      std::optional<http::ServerEvent> rest = parser.Rest();
      return rest.has_value() ? ReadRest(*std::move(rest), reader) : absl::OkStatus();
    }
    auto events = parser.Feed(piece);
    if (!events.ok()) return HopelessAnswer("an event of its stream is too long");
    for (const http::ServerEvent& event : *events) RETURN_IF_ERROR(ReadEvent(event, reader));
  }
  return absl::OkStatus();
}

absl::Status ReadWhole(Body& body, AnswerReader& reader) {
  std::string text;
  while (true) {
    ASSIGN_OR_RETURN(const std::string piece, body.Next());
    if (piece.empty()) return reader.Whole(text);
    text += piece;
  }
}

// Whether the response is of a type that says nothing of its form, or of another than its body has: some servers label
// an error, or a stream, as plain text.
bool MayBeAnything(const http::ResponseHead& head) {
  return head.Find("content-type").empty() || providers::HasContentType(head, "text/plain") ||
         providers::HasContentType(head, "application/octet-stream");
}

// Reads an answer in the form that it has, which need not be the one that was asked for: servers without streams answer
// as a whole, as do most with an error, and some label the one as the other.
absl::Status ReadAnswer(std::string_view provider, std::string_view wanted_type, providers::ProviderStream& stream,
                        AnswerReader& reader, fibers::Wait wait) {
  const bool is_json = providers::HasContentType(stream.head(), kJsonType);
  if (!is_json && !providers::HasContentType(stream.head(), kEventStreamType) && !MayBeAnything(stream.head())) {
    return providers::CheckContentType(provider, stream.head(), wanted_type);
  }
  Body body(stream, wait);
  ASSIGN_OR_RETURN(const char first, body.FirstCharacter());
  if (first == '{' || first == '[') return ReadWhole(body, reader);
  if (first == '\0') return UnusableAnswer("its body is empty");
  const bool is_event = first == 'd' || first == 'e' || first == 'i' || first == 'r' || first == ':';
  return is_event || !is_json ? ReadEvents(body, reader) : ReadWhole(body, reader);
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
  RETURN_IF_ERROR(ReadAnswer(provider.name(), call.stream ? kEventStreamType : kJsonType, *stream, reader, scope.wait));
  ASSIGN_OR_RETURN(ModelAnswer answer, reader.Finish());
  Describe(answer, stream->span());
  return answer;
}

}  // namespace toolgate::executors::models
