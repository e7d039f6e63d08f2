#include "services/api/streamed_events.h"

#include <cstddef>
#include <string>

#include "common/status_macros.h"

namespace toolgate::services::api {
namespace {

constexpr size_t kMaxChunkBytes = size_t{64} << 10;

}  // namespace

void StreamedEvents::Report(const executors::Progress& progress) {
  v1::ExecuteStreamResponse event;
  event.mutable_progress()->set_message(progress.message);
  event.mutable_progress()->set_done(progress.done);
  event.mutable_progress()->set_total(progress.total);
  writer_.WriteProgress(event);
}

absl::Status StreamedEvents::Output(std::string_view channel, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view chunk = bytes.substr(0, kMaxChunkBytes);
    v1::ExecuteStreamResponse event;
    event.mutable_output()->set_channel(std::string(channel));
    event.mutable_output()->set_chunk(std::string(chunk));
    RETURN_IF_ERROR(writer_.WriteOutput(event, cancellation_));
    bytes.remove_prefix(chunk.size());
  }
  return absl::OkStatus();
}

}  // namespace toolgate::services::api
