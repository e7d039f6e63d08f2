// A call's reports as events of its stream.
#ifndef TOOLGATE_SERVICES_API_STREAMED_EVENTS_H_
#define TOOLGATE_SERVICES_API_STREAMED_EVENTS_H_

#include <string_view>

#include "common/fibers/cancellation.h"
#include "security/event_sink.h"
#include "services/api/event_writer.h"

namespace toolgate::services::api {

// Passes progress and output on to the client. Borrows both; used by the thread of the call.
class StreamedEvents final : public security::EventSink {
 public:
  StreamedEvents(EventWriter& writer, const fibers::Cancellation& cancellation)
      : writer_(writer), cancellation_(cancellation) {}

  void Report(const executors::Progress& progress) override;
  // In messages of at most 64 KiB.
  absl::Status Output(std::string_view channel, std::string_view bytes) override;

 private:
  EventWriter& writer_;
  const fibers::Cancellation& cancellation_;
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_STREAMED_EVENTS_H_
