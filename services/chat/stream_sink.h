// A model's answer as events, while it comes.
#ifndef TOOLGATE_SERVICES_CHAT_STREAM_SINK_H_
#define TOOLGATE_SERVICES_CHAT_STREAM_SINK_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "executors/models/chat_model.h"
#include "services/chat/chat_writer.h"
#include "services/chat/reasoning_steps.h"

namespace toolgate::services::chat {

// Writes content_delta and reasoning_step events. A slow client holds the model back. Borrows both; used by the fiber
// of the chat.
class StreamSink final : public executors::models::DeltaSink {
 public:
  // `phase` is that of the reasoning steps.
  StreamSink(ChatWriter& writer, const fibers::Cancellation& cancellation, std::string phase)
      : writer_(writer), cancellation_(cancellation), steps_(std::move(phase)) {}

  absl::Status Text(std::string_view piece) override;
  absl::Status Reasoning(std::string_view piece) override;
  // The answer is complete.
  absl::Status Finish();

 private:
  absl::Status Write(const std::vector<v1::ReasoningStep>& steps);

  ChatWriter& writer_;
  const fibers::Cancellation& cancellation_;
  ReasoningSteps steps_;
};

}  // namespace toolgate::services::chat

#endif  // TOOLGATE_SERVICES_CHAT_STREAM_SINK_H_
