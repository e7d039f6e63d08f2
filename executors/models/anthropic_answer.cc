#include "executors/models/anthropic_answer.h"

#include <algorithm>
#include <utility>

#include "common/status_macros.h"
#include "executors/models/answer_error.h"
#include "executors/models/turn_layout.h"
#include "executors/models/wire_json.h"

namespace toolgate::executors::models {
namespace {

constexpr size_t kMaxBlocks = 1024;

const Json& ErrorIn(const Json& message) {
  const Json* error = FindMember(message, "error");
  return error == nullptr ? message : *error;
}

}  // namespace

absl::Status AnthropicAnswer::Whole(std::string_view body) {
  const auto json = ParseJson(body, WireJsonLimits());
  if (!json.ok()) return UnusableAnswer("it is no JSON");
  const Json* content = FindMember(*json, "content");
  if (content == nullptr || !content->is_array()) {
    RETURN_IF_ERROR(ErrorInBody(*json));
    return UnusableAnswer("it has no content");
  }
  int64_t index = 0;
  for (const Json& block : *content) RETURN_IF_ERROR(BeginBlock(index++, block));
  draft_.set_model(TextMember(*json, "model"));
  ReadUsage(FindMember(*json, "usage"));
  ReadStop(TextMember(*json, "stop_reason"));
  done_ = true;
  return absl::OkStatus();
}

absl::Status AnthropicAnswer::Event(const http::ServerEvent& event) {
  if (done_ || event.data.empty()) return absl::OkStatus();
  if (++events_ > bounds_.max_events) return HopelessAnswer("it comes in too many pieces");
  const auto json = ParseJson(event.data, WireJsonLimits());
  if (!json.ok() && event.type == "error") return ReportedError(event.data);
  if (!json.ok()) return UnusableAnswer("an event of its stream is no JSON");
  return ReadEvent(*json);
}

absl::Status AnthropicAnswer::ReadEvent(const Json& event) {
  static const Json* const none = new Json(Json::object());
  const auto member = [&event](std::string_view name) -> const Json& {
    const Json* value = FindMember(event, name);
    return value == nullptr ? *none : *value;
  };
  const std::string_view type = TextMember(event, "type");
  if (type == "error") return ReportedError(ErrorIn(event));
  if (type.empty()) return ErrorInBody(event);
  if (type == "message_start") {
    draft_.set_model(TextMember(member("message"), "model"));
    ReadUsage(FindMember(member("message"), "usage"));
  } else if (type == "content_block_start") {
    return BeginBlock(CountMember(event, "index"), member("content_block"));
  } else if (type == "content_block_delta") {
    return ReadDelta(CountMember(event, "index"), member("delta"));
  } else if (type == "message_delta") {
    ReadStop(TextMember(member("delta"), "stop_reason"));
    ReadUsage(FindMember(event, "usage"));
  } else if (type == "message_stop") {
    done_ = true;
  }
  return absl::OkStatus();
}

// A block of a whole answer is one that begins with all of its content.
absl::Status AnthropicAnswer::BeginBlock(int64_t index, const Json& content) {
  if (blocks_.size() >= kMaxBlocks) return HopelessAnswer("it has too many content blocks");
  Block block = {.index = index};
  const std::string_view type = TextMember(content, "type");
  if (type == "text") {
    block.kind = Kind::kText;
    block.text_size = TextMember(content, "text").size();
    RETURN_IF_ERROR(draft_.AddText(TextMember(content, "text")));
  } else if (type == "tool_use") {
    RETURN_IF_ERROR(BeginToolUse(content, block));
  } else {
    RETURN_IF_ERROR(BeginOpaque(content, block));
  }
  blocks_.push_back(std::move(block));
  return absl::OkStatus();
}

absl::Status AnthropicAnswer::BeginToolUse(const Json& content, Block& block) {
  block.kind = Kind::kToolUse;
  ASSIGN_OR_RETURN(block.use, draft_.BeginToolUse(TextMember(content, "id"), TextMember(content, "name")));
  // In a stream an empty object stands here, and the arguments follow.
  const Json* input = FindMember(content, "input");
  if (input == nullptr || input->empty()) return absl::OkStatus();
  return draft_.AddArguments(block.use, input->is_string() ? input->get_ref<const std::string&>() : DumpJson(*input));
}

absl::Status AnthropicAnswer::BeginOpaque(const Json& content, Block& block) {
  if (!content.is_object()) return UnusableAnswer("a content block in it is not an object");
  RETURN_IF_ERROR(draft_.Charge(kKeptPartBytes + DumpJson(content).size()));
  block.kind = Kind::kOpaque;
  block.opaque = content;
  return TextMember(content, "type") == "thinking" ? draft_.AddReasoning(TextMember(content, "thinking"))
                                                   : absl::OkStatus();
}

// The block that a delta continues: the one of its index, or the latest of its kind, since servers in front of other
// models count in their own ways. Null if there is none.
AnthropicAnswer::Block* AnthropicAnswer::BlockOf(int64_t index, const Json& delta) {
  const auto last = [this](auto fits) {
    const auto found = std::find_if(blocks_.rbegin(), blocks_.rend(), fits);
    return found == blocks_.rend() ? nullptr : &*found;
  };
  const std::string_view type = TextMember(delta, "type");
  const bool is_text = type == "text_delta";
  const bool is_input = type == "input_json_delta";
  Block* const block = last([index](const Block& one) { return one.index == index; });
  if (!is_text && !is_input) return block;
  const Kind kind = is_text ? Kind::kText : Kind::kToolUse;
  // Tools of the service itself have input, too.
  if (block != nullptr && (block->kind == kind || (is_input && block->kind == Kind::kOpaque))) return block;
  return last([kind](const Block& one) { return one.kind == kind; });
}

absl::Status AnthropicAnswer::ReadDelta(int64_t index, const Json& delta) {
  Block* const block = BlockOf(index, delta);
  if (block == nullptr) return UnusableAnswer("its stream continues a content block that never began");
  switch (block->kind) {
    case Kind::kText:
      block->text_size += TextMember(delta, "text").size();
      return draft_.AddText(TextMember(delta, "text"));
    case Kind::kToolUse:
      return draft_.AddArguments(block->use, TextMember(delta, "partial_json"));
    case Kind::kOpaque:
      return ReadOpaqueDelta(delta, *block);
  }
  return absl::OkStatus();
}

absl::Status AnthropicAnswer::ReadOpaqueDelta(const Json& delta, Block& block) {
  for (const char* member : {"thinking", "signature", "data"}) {
    const std::string_view piece = TextMember(delta, member);
    if (piece.empty()) continue;
    RETURN_IF_ERROR(draft_.Charge(piece.size()));
    Json& kept = block.opaque[member];
    if (!kept.is_string()) kept = "";
    kept.get_ref<std::string&>() += piece;
  }
  const std::string_view input = TextMember(delta, "partial_json");
  RETURN_IF_ERROR(draft_.Charge(input.size()));
  block.input += input;
  return draft_.AddReasoning(TextMember(delta, "thinking"));
}

// Counts are those of the whole answer so far. Tokens that the cache saved count as input like others.
void AnthropicAnswer::ReadUsage(const Json* usage) {
  if (usage == nullptr) return;
  const int64_t input = CountMember(*usage, "input_tokens") + CountMember(*usage, "cache_creation_input_tokens") +
                        CountMember(*usage, "cache_read_input_tokens");
  if (input > 0) input_tokens_ = input;
  if (const int64_t output = CountMember(*usage, "output_tokens"); output > 0) output_tokens_ = output;
  draft_.set_tokens(input_tokens_, output_tokens_);
}

void AnthropicAnswer::ReadStop(std::string_view reason) {
  if (reason.empty()) return;
  own_end_ = IsOwnEnd(reason);
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") {
    stop_ = StopReason::kLength;
  } else if (reason == "refusal") {
    stop_ = StopReason::kRefusal;
  } else {
    stop_ = StopReason::kEnd;
  }
}

// Reasoning that the limit of tokens cut off lacks its signature, and the service takes none without.
bool AnthropicAnswer::IsCutThinking(const Block& block) const {
  return stop_ == StopReason::kLength && &block == &blocks_.back() && TextMember(block.opaque, "type") == "thinking" &&
         TextMember(block.opaque, "signature").empty();
}

std::string AnthropicAnswer::State() const {
  TurnLayout layout;
  for (const Block& block : blocks_) {
    if (IsCutThinking(block)) continue;
    if (block.kind == Kind::kText) layout.AddText(block.text_size);
    if (block.kind == Kind::kToolUse) layout.AddToolUse(block.use);
    if (block.kind != Kind::kOpaque) continue;
    Json opaque = block.opaque;
    if (!block.input.empty()) {
      auto input = ParseJson(block.input, WireJsonLimits());
      if (input.ok()) opaque["input"] = *std::move(input);
    }
    layout.AddOpaque(std::move(opaque));
  }
  return layout.State("anthropic", draft_.message());
}

absl::StatusOr<ModelAnswer> AnthropicAnswer::Finish() {
  if (!done_ && !stop_.has_value()) return UnusableAnswer("it is cut off, as its stream ended before it did");
  if (!stop_.has_value() && draft_.HasCallWithoutArguments()) {
    return UnusableAnswer("it ends in the middle of a tool call and gives no stop_reason");
  }
  return draft_.Finish(stop_.value_or(StopReason::kEnd), own_end_, State());
}

}  // namespace toolgate::executors::models
