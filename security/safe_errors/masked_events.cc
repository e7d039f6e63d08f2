#include "security/safe_errors/masked_events.h"

#include "common/status_macros.h"

namespace toolgate::security::safe_errors {

void MaskedEvents::Report(const executors::Progress& progress) {
  executors::Progress safe = progress;
  clean_(safe.message);
  client_.Report(safe);
}

absl::Status MaskedEvents::Output(std::string_view channel, std::string_view bytes) {
  const std::string masked = StreamOf(channel).Push(bytes);
  return masked.empty() ? absl::OkStatus() : client_.Output(channel, masked);
}

absl::Status MaskedEvents::Finish() {
  for (auto& [channel, stream] : channels_) {
    const std::string masked = stream.Finish();
    if (!masked.empty()) RETURN_IF_ERROR(client_.Output(channel, masked));
  }
  return absl::OkStatus();
}

MaskedStream& MaskedEvents::StreamOf(std::string_view channel) {
  for (auto& [name, stream] : channels_) {
    if (name == channel) return stream;
  }
  return channels_.emplace_back(std::string(channel), MaskedStream(masker_)).second;
}

}  // namespace toolgate::security::safe_errors
