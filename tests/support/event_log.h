// An event sink that remembers.
#ifndef TOOLGATE_TESTS_SUPPORT_EVENT_LOG_H_
#define TOOLGATE_TESTS_SUPPORT_EVENT_LOG_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "security/event_sink.h"

namespace toolgate::testing {

class EventLog final : public security::EventSink {
 public:
  void Report(const executors::Progress& progress) override { reports.push_back(progress); }
  absl::Status Output(std::string_view channel, std::string_view bytes) override {
    if (before_output != nullptr) before_output();
    output += bytes;
    channels.emplace_back(channel);
    return answer;
  }

  std::vector<executors::Progress> reports;
  std::string output;                 // Of all channels.
  std::vector<std::string> channels;  // Of each piece.
  absl::Status answer;                // Given for each piece.
  std::function<void()> before_output = nullptr;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_EVENT_LOG_H_
