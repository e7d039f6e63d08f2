#include "executors/models/openai_answer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/text/words.h"
#include "executors/models/answer_error.h"
#include "executors/models/image_data.h"
#include "executors/models/wire_json.h"

namespace toolgate::executors::models {
namespace {

// Those of the specification, of GLM, of Mistral, and of servers in front of other APIs.
constexpr auto kLengthReasons = std::to_array<std::string_view>(
    {"length", "model_context_window_exceeded", "model_length", "max_tokens", "max_output_tokens", "MAX_TOKENS"});

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
  if (!json.ok() && event.type == "error") return ReportedError(event.data);
  if (!json.ok()) return UnusableAnswer("an event of its stream is no JSON");
  if (event.type == "error" && FindMember(*json, "error") == nullptr) return ReportedError(*json);
  return ReadChunk(*json);
}

absl::Status OpenAiAnswer::ReadChunk(const Json& chunk) {
  if (ArrayMember(chunk, "choices").empty() || FindMember(chunk, "error") != nullptr) {
    RETURN_IF_ERROR(ErrorInBody(chunk));
  }
  draft_.set_model(TextMember(chunk, "model"));
  if (const Json* usage = FindMember(chunk, "usage"); usage != nullptr) {
    const int64_t input = CountMember(*usage, "prompt_tokens");
    const int64_t output = CountMember(*usage, "completion_tokens");
    if (input + output > 0) draft_.set_tokens(input, output);
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
  return ReadToolCalls(message);
}

absl::Status OpenAiAnswer::ReadContent(const Json& content) {
  if (content.is_string()) return AddContent(content.get_ref<const std::string&>());
  if (!content.is_array()) return UnusableAnswer("its content is neither text nor parts");
  for (const Json& part : content) RETURN_IF_ERROR(ReadContentPart(part));
  return absl::OkStatus();
}

absl::Status OpenAiAnswer::ReadContentPart(const Json& part) {
  // Mistral's reasoning: parts in a part, or a text.
  if (TextMember(part, "type") == "thinking") {
    tells_reasoning_ = true;
    RETURN_IF_ERROR(draft_.AddReasoning(TextMember(part, "thinking")));
    for (const Json& thought : ArrayMember(part, "thinking")) {
      RETURN_IF_ERROR(draft_.AddReasoning(TextMember(thought, "text")));
    }
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(AddContent(TextMember(part, "text")));
  if (const std::string_view refusal = TextMember(part, "refusal"); !refusal.empty()) {
    refused_ = true;
    RETURN_IF_ERROR(draft_.AddText(refusal));
  }
  return FindMember(part, "image_url") == nullptr ? absl::OkStatus() : ReadImage(part);
}

absl::Status OpenAiAnswer::AddContent(std::string_view text) {
  if (text.empty()) return absl::OkStatus();
  if (!splitter_.has_value()) splitter_.emplace(holds_text_);
  // A server that tells reasoning and content apart leaves no thoughts in it.
  if (tells_reasoning_) splitter_->ExpectNoUnopened();
  if (text.size() > bounds_.max_bytes - std::min(content_bytes_, bounds_.max_bytes)) {
    return HopelessAnswer(absl::StrCat("it exceeds ", bounds_.max_bytes, " bytes of text"));
  }
  content_bytes_ += text.size();
  return AddPieces(splitter_->Feed(text));
}

absl::Status OpenAiAnswer::AddPieces(const std::vector<ThoughtSplitter::Piece>& pieces) {
  for (const ThoughtSplitter::Piece& piece : pieces) {
    switch (piece.kind) {
      case ThoughtSplitter::Kind::kText:
        RETURN_IF_ERROR(draft_.AddText(piece.text));
        break;
      case ThoughtSplitter::Kind::kThought:
        RETURN_IF_ERROR(draft_.AddReasoning(piece.text));
        break;
      case ThoughtSplitter::Kind::kTextWasThought:
        RETURN_IF_ERROR(draft_.TurnTextIntoReasoning());
        break;
    }
  }
  return absl::OkStatus();
}

absl::Status OpenAiAnswer::ReadReasoning(const Json& message) {
  // Some services write the same text into both.
  for (const char* member : {"reasoning_content", "reasoning"}) {
    const std::string_view text = TextMember(message, member);
    if (text.empty()) continue;
    state_.reasoning_member = member;
    tells_reasoning_ = true;
    RETURN_IF_ERROR(draft_.AddReasoning(text));
    break;
  }
  for (const Json& detail : ArrayMember(message, "reasoning_details")) RETURN_IF_ERROR(ReadReasoningDetail(detail));
  return absl::OkStatus();
}

absl::Status OpenAiAnswer::ReadReasoningDetail(const Json& detail) {
  if (!detail.is_object()) return absl::OkStatus();
  tells_reasoning_ = true;
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

absl::Status OpenAiAnswer::ReadToolCalls(const Json& message) {
  const Json& calls = ArrayMember(message, "tool_calls");
  size_t position = 0;
  for (const Json& call : calls) {
    RETURN_IF_ERROR(ReadToolCall(call, {.alone = calls.size() == 1, .position = position++}));
  }
  // The form before tool_calls, which some servers still have.
  const Json* function = FindMember(message, "function_call");
  if (function == nullptr || !calls.empty()) return absl::OkStatus();
  return ReadToolCall({{"function", *function}}, {.alone = true});
}

absl::Status OpenAiAnswer::ReadToolCall(const Json& call, CallPiece piece) {
  static const Json* const none = new Json(Json::object());
  const Json* function = FindMember(call, "function");
  if (function == nullptr) function = none;
  piece.id = TextMember(call, "id");
  piece.name = TextMember(*function, "name");
  if (const Json* index = FindMember(call, "index"); index != nullptr && index->is_number_integer()) {
    piece.index = CountMember(call, "index");
  }
  // Text by the specification; some servers write the object itself.
  if (const Json* arguments = FindMember(*function, "arguments"); arguments != nullptr) {
    piece.arguments = arguments->is_string() ? arguments->get_ref<const std::string&>() : DumpJson(*arguments);
  }
  OpenCall* open = whole_ ? nullptr : CallOf(piece);
  if (open == nullptr) {
    ASSIGN_OR_RETURN(const size_t begun, draft_.BeginToolUse(piece.id, ""));
    open = &calls_.emplace_back(OpenCall{piece.index, std::string(piece.id), begun});
  }
  const size_t use = open->use;
  const ToolUse& started = draft_.message().tool_uses[use];
  if (started.name.empty()) RETURN_IF_ERROR(draft_.NameToolUse(use, piece.name));
  if (const Json* extra = FindMember(call, "extra_content"); extra != nullptr) {
    RETURN_IF_ERROR(draft_.Charge(kKeptPartBytes + DumpJson(*extra).size()));
    state_.call_extras[started.id] = *extra;
  }
  return AddArguments(*open, piece.arguments);
}

// A call may come in many pieces, and each may ask whether it is complete. So it is parsed once, when it can be.
absl::Status OpenAiAnswer::AddArguments(OpenCall& call, std::string_view piece) {
  RETURN_IF_ERROR(draft_.AddArguments(call.use, piece));
  const bool was_reached = call.end.reached();
  call.end.Feed(piece);
  if (was_reached || !call.end.reached()) return absl::OkStatus();
  const auto arguments = ParseJson(draft_.message().tool_uses[call.use].arguments_json, WireJsonLimits());
  call.is_object = arguments.ok() && arguments->is_object();
  return absl::OkStatus();
}

OpenAiAnswer::OpenCall* OpenAiAnswer::LatestWithIndex(std::optional<int64_t> index) {
  const auto found =
      std::find_if(calls_.rbegin(), calls_.rend(), [&](const OpenCall& call) { return call.index == index; });
  return found == calls_.rend() ? nullptr : &*found;
}

OpenAiAnswer::OpenCall* OpenAiAnswer::LatestWithId(std::string_view id) {
  const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [&](const OpenCall& call) { return call.id == id; });
  return found == calls_.rend() ? nullptr : &*found;
}

bool OpenAiAnswer::GoesOn(const OpenCall& call, const CallPiece& piece) const {
  const std::string& name = draft_.message().tool_uses[call.use].name;
  if (name.empty()) return true;
  return name == piece.name && (piece.arguments.empty() || !IsComplete(call));
}

// The specification tells pieces apart by index, and gives id and name in a call's first one. Servers leave out the
// index, give the same one to all calls or another one to later pieces, repeat id and name in each piece, or give none.
// Models repeat ids.
OpenAiAnswer::OpenCall* OpenAiAnswer::CallOf(const CallPiece& piece) {
  if (piece.name.empty()) return NamelessCallOf(piece);
  OpenCall* place = piece.index.has_value() ? LatestWithIndex(piece.index) : nullptr;
  if (!piece.id.empty()) {
    OpenCall* same_id = LatestWithId(piece.id);
    if (same_id == nullptr || !GoesOn(*same_id, piece)) return nullptr;
    return same_id->index == piece.index || (piece.alone && !IsComplete(*same_id)) ? same_id : nullptr;
  }
  if (place == nullptr && !piece.index.has_value() && piece.alone && !calls_.empty()) place = &calls_.back();
  return place != nullptr && place->index == piece.index && GoesOn(*place, piece) ? place : nullptr;
}

// A piece that names no tool continues a call, if there is one.
OpenAiAnswer::OpenCall* OpenAiAnswer::NamelessCallOf(const CallPiece& piece) {
  if (calls_.empty()) return nullptr;
  OpenCall& latest = calls_.back();
  OpenCall* place = piece.index.has_value() ? LatestWithIndex(piece.index) : nullptr;
  if (!piece.id.empty()) {
    if (OpenCall* same_id = LatestWithId(piece.id); same_id != nullptr) return same_id;
    // Its name may still come.
    return place != nullptr && place->id.empty() ? place : nullptr;
  }
  if (!piece.index.has_value())
    place = piece.alone || piece.position >= calls_.size() ? &latest : &calls_[piece.position];
  if (place == nullptr) return &latest;
  return place != &latest && !piece.arguments.empty() && IsComplete(*place) && !IsComplete(latest) ? &latest : place;
}

absl::Status OpenAiAnswer::ReadFinish(std::string_view reason) {
  if (reason.empty()) return absl::OkStatus();
  if (reason == "error" || reason == "network_error") return ReportedError(Json::object());
  if (reason == "insufficient_system_resource") return ReportedError({{"code", "engine_overloaded"}});  // DeepSeek.
  own_end_ = IsOwnEnd(reason);
  if (text::IsOneOf(reason, kLengthReasons)) {
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
  if (!stop_.has_value() && BreaksOffInACall()) {
    return UnusableAnswer("it ends in the middle of a tool call and gives no finish_reason");
  }
  const StopReason stop = refused_ ? StopReason::kRefusal : stop_.value_or(StopReason::kEnd);
  if (splitter_.has_value()) RETURN_IF_ERROR(AddPieces(splitter_->Finish(stop == StopReason::kLength)));
  return draft_.Finish(stop, own_end_, state_.Text());
}

bool OpenAiAnswer::BreaksOffInACall() const {
  if (draft_.HasCallWithoutArguments()) return true;
  return !calls_.empty() && !draft_.message().tool_uses[calls_.back().use].arguments_json.empty() &&
         !IsComplete(calls_.back());
}

}  // namespace toolgate::executors::models
