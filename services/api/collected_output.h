// The output of a unary call.
#ifndef TOOLGATE_SERVICES_API_COLLECTED_OUTPUT_H_
#define TOOLGATE_SERVICES_API_COLLECTED_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "google/protobuf/repeated_ptr_field.h"
#include "security/event_sink.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::api {

// Keeps the beginning of what a call sends while it runs, for its result. Used by the thread of the call.
class CollectedOutput final : public security::EventSink {
 public:
  // Bytes of all channels together.
  static constexpr size_t kMaxBytes = size_t{64} << 10;

  // Nobody listens.
  void Report(const executors::Progress&) override {}
  // Never waits and never fails.
  absl::Status Output(std::string_view channel, std::string_view bytes) override;

  // Moves everything into `result`.
  void MoveTo(v1::ToolResult& result);

 private:
  google::protobuf::RepeatedPtrField<v1::ToolOutput> rows_;
  size_t kept_bytes_ = 0;
  int64_t omitted_bytes_ = 0;
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_COLLECTED_OUTPUT_H_
