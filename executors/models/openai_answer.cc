#include "executors/models/openai_answer.h"

#include <utility>

#include "common/status_macros.h"
#include "executors/models/answer_error.h"
#include "executors/models/image_data.h"
#include "executors/models/wire_json.h"

namespace toolgate::executors::models {
namespace {

// Members of a reasoning detail that come in pieces; others come once.
bool ComesInPieces(std::string_view member) { return member == "text" || member == "summary" || member == "data"; }

// Whether `next` continues `detail`.
bool Continues(const Json& detail, const Json& next) {
  return TextMember(detail, "type") == TextMember(next, "type") &&
         CountMember(detail, "index") == CountMember(next, "index");
}

void MergeDetail(const Json& next, Json& detail) {
  for (const auto& [name, value] : next.items()) {
    if (value.is_null()) continue;
    Json& kept = detail[name];
    if (value.is_string() && kept.is_string() && ComesInPieces(name)) {
      kept.get_ref<std::string&>() += value.get_ref<const std::string&>();
    } else {
      kept = value;
    }
  }
}

}  // namespace

absl::Status OpenAiAnswer::Whole(std::string_view body) {
  const auto json = ParseJson(body, WireJsonLimits());
  if (!json.ok()) return UnusableAnswer("it is no JSON");
  whole_ = true;
  RETURN_IF_ERROR(ReadChunk(*json));
  if (ArrayMember(*json, "choices").empty()) return UnusableAnswer("it has no choices");
  done_ = true;
  return absl::OkStatus();
}

absl::Status OpenAiAnswer::Event(const http::ServerEvent& event) {
  if (done_ || event.data.empty()) return absl::OkStatus();
  if (++events_ > bounds_.max_events) return HopelessAnswer("it comes in too many pieces");
  if (event.data == "[DONE]") {
    done_ = true;
    return absl::OkStatus();
  }
  const auto json = ParseJson(event.data, WireJsonLimits());
  if (!json.ok()) return UnusableAnswer("an event of its stream is no JSON");
  if (event.type == "error" && FindMember(*json, "error") == nullptr) return ReportedError(*json);
  return ReadChunk(*json);
}

absl::Status OpenAiAnswer::ReadChunk(const Json& chunk) {
  if (const Json* error = FindMember(chunk, "error"); error != nullptr) return ReportedError(*error);
  draft_.set_model(TextMember(chunk, "model"));
  if (const Json* usage = FindMember(chunk, "usage"); usage != nullptr) {
    draft_.set_tokens(CountMember(*usage, "prompt_tokens"), CountMember(*usage, "completion_tokens"));
  }
  for (const Json& choice : ArrayMember(chunk, "choices")) {
    if (CountMember(choice, "index") == 0) RETURN_IF_ERROR(ReadChoice(choice));
  }
  return absl::OkStatus();
}

absl::Status OpenAiAnswer::ReadChoice(const Json& choice) {
  if (const Json* error = FindMember(choice, "error"); error != nullptr) return ReportedError(*error);
  const Json* message = FindMember(choice, "delta");
  if (message == nullptr) message = FindMember(choice, "message");
  if (message != nullptr) RETURN_IF_ERROR(ReadMessage(*message));
  return ReadFinish(TextMember(choice, "finish_reason"));
}

absl::Status OpenAiAnswer::ReadMessage(const Json& message) {
  RETURN_IF_ERROR(ReadReasoning(message));
  if (const Json* content = FindMember(message, "content"); content != nullptr) RETURN_IF_ERROR(ReadContent(*content));
  if (const std::string_view refusal = TextMember(message, "refusal"); !refusal.empty()) {
    refused_ = true;
    RETURN_IF_ERROR(draft_.AddText(refusal));
  }
  for (const Json& image : ArrayMember(message, "images")) RETURN_IF_ERROR(ReadImage(image));
  int64_t position = 0;
  for (const Json& call : ArrayMember(message, "tool_calls")) RETURN_IF_ERROR(ReadToolCall(call, position++));
  return absl::OkStatus();
}

absl::Status OpenAiAnswer::ReadContent(const Json& content) {
  if (content.is_string()) return draft_.AddText(content.get_ref<const std::string&>());
  if (!content.is_array()) return UnusableAnswer("its content is neither text nor parts");
  for (const Json& part : content) {
    RETURN_IF_ERROR(draft_.AddText(TextMember(part, "text")));
    if (const std::string_view refusal = TextMember(part, "refusal"); !refusal.empty()) {
      refused_ = true;
      RETURN_IF_ERROR(draft_.AddText(refusal));
    }
    if (FindMember(part, "image_url") != nullptr) RETURN_IF_ERROR(ReadImage(part));
  }
  return absl::OkStatus();
}

absl::Status OpenAiAnswer::ReadReasoning(const Json& message) {
  // Some services write the same text into both.
  for (const char* member : {"reasoning_content", "reasoning"}) {
    const std::string_view text = TextMember(message, member);
    if (text.empty()) continue;
    state_.reasoning_member = member;
    RETURN_IF_ERROR(draft_.AddReasoning(text));
    break;
  }
  for (const Json& detail : ArrayMember(message, "reasoning_details")) RETURN_IF_ERROR(ReadReasoningDetail(detail));
  return absl::OkStatus();
}

absl::Status OpenAiAnswer::ReadReasoningDetail(const Json& detail) {
  if (!detail.is_object()) return absl::OkStatus();
  RETURN_IF_ERROR(draft_.Charge(kKeptPartBytes + DumpJson(detail).size()));
  Json& details = state_.reasoning_details;
  if (details.empty() || !Continues(details.back(), detail)) {
    details.push_back(detail);
  } else {
    MergeDetail(detail, details.back());
  }
  return absl::OkStatus();
}

absl::Status OpenAiAnswer::ReadImage(const Json& part) {
  const Json* image_url = FindMember(part, "image_url");
  if (image_url == nullptr) return absl::OkStatus();
  const std::string_view url = image_url->is_string() ? std::string_view(image_url->get_ref<const std::string&>())
                                                      : TextMember(*image_url, "url");
  return draft_.AddImage(ImageFromUrl(url));
}

absl::Status OpenAiAnswer::ReadToolCall(const Json& call, int64_t position) {
  static const Json* const none = new Json(Json::object());
  const Json* function = FindMember(call, "function");
  if (function == nullptr) function = none;
  ASSIGN_OR_RETURN(const size_t use, UseOf(call, position));
  const ToolUse& started = draft_.message().tool_uses[use];
  if (started.name.empty()) RETURN_IF_ERROR(draft_.NameToolUse(use, TextMember(*function, "name")));
  if (const Json* extra = FindMember(call, "extra_content"); extra != nullptr) {
    RETURN_IF_ERROR(draft_.Charge(kKeptPartBytes + DumpJson(*extra).size()));
    state_.call_extras[started.id] = *extra;
  }
  const Json* arguments = FindMember(*function, "arguments");
  if (arguments == nullptr) return absl::OkStatus();
  // Text by the specification; some servers write the object itself.
  if (!arguments->is_string()) return draft_.AddArguments(use, DumpJson(*arguments));
  return draft_.AddArguments(use, arguments->get_ref<const std::string&>());
}

// The call that a piece belongs to. Some servers that stream leave the index out, or give the same one to parallel
// calls; there a new id begins a call.
absl::StatusOr<size_t> OpenAiAnswer::UseOf(const Json& call, int64_t position) {
  const std::string_view id = TextMember(call, "id");
  const bool has_index = FindMember(call, "index") != nullptr;
  const int64_t index = has_index ? CountMember(call, "index") : position;
  for (auto open = calls_.rbegin(); open != calls_.rend() && !whole_; ++open) {
    const bool same_place = has_index || id.empty() ? open->index == index : open->id == id;
    if (!same_place) continue;
    if (id.empty() || open->id.empty() || id == open->id) return open->use;
    break;
  }
  ASSIGN_OR_RETURN(const size_t use, draft_.BeginToolUse(id, ""));
  calls_.push_back({.index = index, .id = std::string(id), .use = use});
  return use;
}

absl::Status OpenAiAnswer::ReadFinish(std::string_view reason) {
  if (reason.empty()) return absl::OkStatus();
  if (reason == "error" || reason == "network_error") return ReportedError(Json::object());
  if (reason == "length" || reason == "model_context_window_exceeded") {
    stop_ = StopReason::kLength;
  } else if (reason == "content_filter" || reason == "sensitive") {
    stop_ = StopReason::kRefusal;
  } else {
    stop_ = reason == "tool_calls" ? StopReason::kToolUse : StopReason::kEnd;
  }
  return absl::OkStatus();
}

absl::StatusOr<ModelAnswer> OpenAiAnswer::Finish() {
  if (!done_ && !stop_.has_value()) return UnusableAnswer("it is cut off, as its stream ended before it did");
  const StopReason stop = refused_ ? StopReason::kRefusal : stop_.value_or(StopReason::kEnd);
  return draft_.Finish(stop, state_.Text());
}

}  // namespace toolgate::executors::models
