#include "executors/models/answer_draft.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/status_macros.h"
#include "common/text/words.h"
#include "executors/models/answer_error.h"

namespace toolgate::executors::models {
namespace {

constexpr size_t kMaxId = 128;
constexpr size_t kMaxName = 256;
constexpr size_t kMaxModelName = 256;
constexpr size_t kRandomBytes = 15;

// Those of chat completions, Anthropic and Gemini; servers in front of the one have words of another.
constexpr auto kOwnEnds =
    std::to_array<std::string_view>({"stop", "tool_calls", "function_call", "end_turn", "tool_use", "STOP"});

bool IsEmpty(const Message& message) {
  return message.text.empty() && message.images.empty() && message.tool_uses.empty();
}

}  // namespace

absl::Status AnswerDraft::Charge(size_t bytes) {
  if (bytes > bounds_.max_bytes - bytes_) {
    return HopelessAnswer(absl::StrCat("it exceeds ", bounds_.max_bytes, " bytes of text"));
  }
  bytes_ += bytes;
  return absl::OkStatus();
}

absl::Status AnswerDraft::AddText(std::string_view piece) {
  if (piece.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(Charge(piece.size()));
  answer_.message.text += piece;
  return sink_ == nullptr ? absl::OkStatus() : sink_->Text(piece);
}

absl::Status AnswerDraft::AddReasoning(std::string_view piece) {
  if (piece.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(Charge(piece.size()));
  answer_.message.reasoning += piece;
  return sink_ == nullptr ? absl::OkStatus() : sink_->Reasoning(piece);
}

absl::Status AnswerDraft::TurnTextIntoReasoning() {
  const std::string text = std::exchange(answer_.message.text, "");
  answer_.message.reasoning += text;
  return sink_ == nullptr || text.empty() ? absl::OkStatus() : sink_->Reasoning(text);
}

absl::Status AnswerDraft::AddImage(std::optional<Image> image) {
  if (!image.has_value()) {
    return UnwantedAnswer("an image in it is neither base64 data of an image type nor a web address");
  }
  if (answer_.message.images.size() >= bounds_.max_images) {
    return HopelessAnswer(absl::StrCat("it has more than ", bounds_.max_images, " images"));
  }
  if (image->bytes.size() > bounds_.max_image_bytes - image_bytes_) {
    return HopelessAnswer(absl::StrCat("its images exceed ", bounds_.max_image_bytes, " bytes"));
  }
  image_bytes_ += image->bytes.size();
  answer_.message.images.push_back(*std::move(image));
  return absl::OkStatus();
}

bool AnswerDraft::IsUsableId(std::string_view id) const {
  const auto& uses = answer_.message.tool_uses;
  return !id.empty() && id.size() <= kMaxId &&
         std::none_of(uses.begin(), uses.end(), [id](const ToolUse& use) { return use.id == id; });
}

absl::StatusOr<size_t> AnswerDraft::BeginToolUse(std::string_view id, std::string_view name) {
  if (answer_.message.tool_uses.size() >= bounds_.max_tool_uses) {
    return HopelessAnswer(absl::StrCat("it has more than ", bounds_.max_tool_uses, " tool calls"));
  }
  ToolUse use;
  use.id = IsUsableId(id) ? std::string(id)
                          : absl::StrCat(ToAbsl(kMadeUpId), Base64UrlEncode(ids_.RandomBytes(kRandomBytes)));
  RETURN_IF_ERROR(Charge(use.id.size()));
  answer_.message.tool_uses.push_back(std::move(use));
  const size_t index = answer_.message.tool_uses.size() - 1;
  RETURN_IF_ERROR(NameToolUse(index, name));
  return index;
}

absl::Status AnswerDraft::NameToolUse(size_t index, std::string_view name) {
  if (name.size() > kMaxName) {
    return HopelessAnswer(absl::StrCat("the name of a tool in it exceeds ", kMaxName, " bytes"));
  }
  RETURN_IF_ERROR(Charge(name.size()));
  answer_.message.tool_uses[index].name = std::string(name);
  return absl::OkStatus();
}

absl::Status AnswerDraft::AddArguments(size_t index, std::string_view piece) {
  std::string& arguments = answer_.message.tool_uses[index].arguments_json;
  if (piece.size() > bounds_.max_arguments_bytes - arguments.size()) {
    return HopelessAnswer(
        absl::StrCat("the arguments of a tool call in it exceed ", bounds_.max_arguments_bytes, " bytes"));
  }
  RETURN_IF_ERROR(Charge(piece.size()));
  arguments += piece;
  return absl::OkStatus();
}

void AnswerDraft::set_model(std::string_view name) {
  if (!name.empty() && name.size() <= kMaxModelName) answer_.model = std::string(name);
}

void AnswerDraft::set_tokens(int64_t input, int64_t output) {
  answer_.input_tokens = input;
  answer_.output_tokens = output;
}

bool AnswerDraft::HasCallWithoutArguments() const {
  const auto& uses = answer_.message.tool_uses;
  return std::any_of(uses.begin(), uses.end(),
                     [](const ToolUse& use) { return !use.name.empty() && use.arguments_json.empty(); });
}

absl::StatusOr<ModelAnswer> AnswerDraft::Finish(StopReason stop, bool own_end, std::string provider_state) {
  const bool ended = stop == StopReason::kEnd || stop == StopReason::kToolUse;
  std::vector<ToolUse>& uses = answer_.message.tool_uses;
  if (ended) stop = uses.empty() ? StopReason::kEnd : StopReason::kToolUse;
  if (ended && IsEmpty(answer_.message)) {
    return UnwantedAnswer(answer_.message.reasoning.empty() ? "it is empty" : "it is empty but for its reasoning");
  }
  if (!ended) {
    std::erase_if(uses, [](const ToolUse& use) { return use.name.empty(); });
  }
  for (ToolUse& use : uses) {
    if (use.name.empty()) return UnwantedAnswer("a tool call in it names no tool");
    if (use.arguments_json.empty() && ended && own_end) use.arguments_json = "{}";
  }
  answer_.message.role = Role::kAssistant;
  answer_.message.provider_state = std::move(provider_state);
  answer_.stop = stop;
  return std::move(answer_);
}

bool IsOwnEnd(std::string_view reason) { return text::IsOneOf(reason, kOwnEnds); }

}  // namespace toolgate::executors::models
