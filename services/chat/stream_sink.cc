#include "services/chat/stream_sink.h"

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"

namespace toolgate::services::chat {
namespace {

// So that every event fits into a message of any client.
constexpr size_t kMaxDeltaBytes = size_t{64} << 10;

absl::Status InPieces(std::string_view text, absl::FunctionRef<absl::Status(std::string_view)> write) {
  while (!text.empty()) {
    std::string_view piece = text::PrefixOfBytes(text, kMaxDeltaBytes);
    if (piece.empty()) piece = text.substr(0, kMaxDeltaBytes);  // No UTF-8.
    RETURN_IF_ERROR(write(piece));
    text.remove_prefix(piece.size());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status StreamSink::Text(std::string_view piece) {
  RETURN_IF_ERROR(Write(steps_.Finish()));  // Reasoning comes before the text that it leads to.
  return InPieces(piece, [this](std::string_view part) {
    v1::ChatResponse event;
    event.mutable_content_delta()->set_content(std::string(part));
    return writer_.Write(event, cancellation_);
  });
}

absl::Status StreamSink::Reasoning(std::string_view piece) {
  RETURN_IF_ERROR(InPieces(piece, [this](std::string_view part) {
    v1::ChatResponse event;
    event.mutable_content_delta()->set_reasoning_content(std::string(part));
    return writer_.Write(event, cancellation_);
  }));
  return Write(steps_.Feed(piece));
}

absl::Status StreamSink::Finish() { return Write(steps_.Finish()); }

absl::Status StreamSink::Write(const std::vector<v1::ReasoningStep>& steps) {
  for (const v1::ReasoningStep& step : steps) {
    v1::ChatResponse event;
    *event.mutable_reasoning_step() = step;
    RETURN_IF_ERROR(writer_.Write(event, cancellation_));
  }
  return absl::OkStatus();
}

}  // namespace toolgate::services::chat
