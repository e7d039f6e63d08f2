#include "executors/models/gemini_answer.h"

#include <array>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/words.h"
#include "executors/models/answer_error.h"
#include "executors/models/image_data.h"
#include "executors/models/wire_json.h"

namespace toolgate::executors::models {
namespace {

constexpr auto kBlockReasons =
    std::to_array<std::string_view>({"SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "MODEL_ARMOR"});

constexpr auto kRefusals =
    std::to_array<std::string_view>({"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
                                     "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"});

constexpr auto kFailures =
    std::to_array<std::string_view>({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS",
                                     "MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE", "NO_IMAGE", "IMAGE_OTHER"});

absl::Status BlockedRequest(std::string_view reason) {
  if (!text::IsOneOf(reason, kBlockReasons)) reason = "another";
  return HopelessAnswer(
      absl::StrCat("there is none, as the service blocked the request; its reason is ", ToAbsl(reason)));
}

}  // namespace

absl::Status GeminiAnswer::Whole(std::string_view body) {
  const auto json = ParseJson(body, WireJsonLimits());
  if (!json.ok()) return UnusableAnswer("it is no JSON");
  // A stream without alt=sse, which proxies make of it, is an array of chunks.
  const Json chunks = json->is_array() ? *json : Json::array({*json});
  bool has_candidates = false;
  for (const Json& chunk : chunks) {
    RETURN_IF_ERROR(ReadChunk(chunk));
    has_candidates = has_candidates || !ArrayMember(chunk, "candidates").empty();
  }
  return has_candidates ? absl::OkStatus() : UnusableAnswer("it has no candidates");
}

absl::Status GeminiAnswer::Event(const http::ServerEvent& event) {
  if (event.data.empty() || event.data == "[DONE]") return absl::OkStatus();
  if (++events_ > bounds_.max_events) return HopelessAnswer("it comes in too many pieces");
  const auto json = ParseJson(event.data, WireJsonLimits());
  if (!json.ok() && event.type == "error") return ReportedError(event.data);
  if (!json.ok()) return UnusableAnswer("an event of its stream is no JSON");
  return ReadChunk(*json);
}

absl::Status GeminiAnswer::ReadChunk(const Json& chunk) {
  if (ArrayMember(chunk, "candidates").empty() || FindMember(chunk, "error") != nullptr) {
    RETURN_IF_ERROR(ErrorInBody(chunk));
  }
  if (const Json* feedback = FindMember(chunk, "promptFeedback"); feedback != nullptr) {
    const std::string_view reason = TextMember(*feedback, "blockReason");
    if (!reason.empty()) return BlockedRequest(reason);
  }
  draft_.set_model(TextMember(chunk, "modelVersion"));
  if (const Json* usage = FindMember(chunk, "usageMetadata"); usage != nullptr) {
    draft_.set_tokens(CountMember(*usage, "promptTokenCount") + CountMember(*usage, "toolUsePromptTokenCount"),
                      CountMember(*usage, "candidatesTokenCount") + CountMember(*usage, "thoughtsTokenCount"));
  }
  for (const Json& candidate : ArrayMember(chunk, "candidates")) {
    if (CountMember(candidate, "index") == 0) RETURN_IF_ERROR(ReadCandidate(candidate));
  }
  return absl::OkStatus();
}

absl::Status GeminiAnswer::ReadCandidate(const Json& candidate) {
  if (const Json* content = FindMember(candidate, "content"); content != nullptr) {
    for (const Json& part : ArrayMember(*content, "parts")) RETURN_IF_ERROR(ReadPart(part));
  }
  return ReadFinish(TextMember(candidate, "finishReason"));
}

absl::Status GeminiAnswer::ReadPart(const Json& part) {
  Json extra = Json::object();
  if (const std::string_view signature = TextMember(part, "thoughtSignature"); !signature.empty()) {
    RETURN_IF_ERROR(draft_.Charge(kKeptPartBytes + signature.size()));
    extra["thoughtSignature"] = signature;
  }
  const Json* thought = FindMember(part, "thought");
  if (thought != nullptr && thought->is_boolean() && thought->get<bool>()) return ReadThought(part, extra);
  if (const Json* call = FindMember(part, "functionCall")) return ReadFunctionCall(*call, std::move(extra));
  if (const Json* data = FindMember(part, "inlineData")) return ReadImage(*data, std::move(extra));
  const std::string_view text = TextMember(part, "text");
  layout_.AddText(text.size(), std::move(extra));
  return draft_.AddText(text);
}

// Thoughts are summaries for people: they go back only for the sake of a signature. Drafts of images among them are not
// shown.
absl::Status GeminiAnswer::ReadThought(const Json& part, const Json& extra) {
  if (!extra.empty() && FindMember(part, "text") != nullptr) {
    RETURN_IF_ERROR(draft_.Charge(TextMember(part, "text").size()));
    layout_.AddOpaque(part);
  }
  return draft_.AddReasoning(TextMember(part, "text"));
}

absl::Status GeminiAnswer::ReadFunctionCall(const Json& call, Json extra) {
  ASSIGN_OR_RETURN(const size_t use, draft_.BeginToolUse(TextMember(call, "id"), TextMember(call, "name")));
  layout_.AddToolUse(use, std::move(extra));
  // Empty ones are not told from those that a limit cut off.
  const Json* args = FindMember(call, "args");
  if (args == nullptr || args->empty()) return absl::OkStatus();
  return draft_.AddArguments(use, args->is_string() ? args->get_ref<const std::string&>() : DumpJson(*args));
}

absl::Status GeminiAnswer::ReadImage(const Json& data, Json extra) {
  // Models that speak give audio in such parts.
  if (!TextMember(data, "mimeType").starts_with("image/")) return UnwantedAnswer("a part of it is data but no image");
  RETURN_IF_ERROR(draft_.AddImage(ImageFromBase64(TextMember(data, "mimeType"), TextMember(data, "data"))));
  layout_.AddImage(draft_.message().images.size() - 1, std::move(extra));
  return absl::OkStatus();
}

absl::Status GeminiAnswer::ReadFinish(std::string_view reason) {
  if (reason.empty()) return absl::OkStatus();
  if (text::IsOneOf(reason, kFailures)) {
    return UnwantedAnswer(absl::StrCat("the service stopped it; its reason is ", ToAbsl(reason)));
  }
  own_end_ = IsOwnEnd(reason);
  stop_ = reason == "MAX_TOKENS"             ? StopReason::kLength
          : text::IsOneOf(reason, kRefusals) ? StopReason::kRefusal
                                             : StopReason::kEnd;
  return absl::OkStatus();
}

absl::StatusOr<ModelAnswer> GeminiAnswer::Finish() {
  if (!stop_.has_value()) return UnusableAnswer("it is cut off, as it ended without a finishReason");
  return draft_.Finish(*stop_, own_end_, layout_.State("gemini", draft_.message()));
}

}  // namespace toolgate::executors::models
