// Layer 5 for the events of a call.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_MASKED_EVENTS_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_MASKED_EVENTS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "security/event_sink.h"
#include "security/safe_errors/masked_stream.h"
#include "security/safe_errors/masker.h"

namespace toolgate::security::safe_errors {

// Masks what a call sends while it runs, and passes it on. Borrows everything; used by the thread of the call.
class MaskedEvents final : public EventSink {
 public:
  // `clean` makes a message safe to show.
  MaskedEvents(const Masker& masker, absl::FunctionRef<void(std::string&)> clean, EventSink& client)
      : masker_(masker), clean_(clean), client_(client) {}

  void Report(const executors::Progress& progress) override;
  absl::Status Output(std::string_view channel, std::string_view bytes) override;

  // Passes on what is held back of every channel; at the end of the call.
  absl::Status Finish();

 private:
  MaskedStream& StreamOf(std::string_view channel);

  const Masker& masker_;
  const absl::FunctionRef<void(std::string&)> clean_;
  EventSink& client_;
  std::vector<std::pair<std::string, MaskedStream>> channels_;
};

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_MASKED_EVENTS_H_
