#include "services/api/collected_output.h"

#include <algorithm>
#include <string>

namespace toolgate::services::api {

absl::Status CollectedOutput::Output(std::string_view channel, std::string_view bytes) {
  const std::string_view kept = bytes.substr(0, kMaxBytes - kept_bytes_);
  kept_bytes_ += kept.size();
  omitted_bytes_ += static_cast<int64_t>(bytes.size() - kept.size());
  if (kept.empty()) return absl::OkStatus();
  if (rows_.empty() || rows_.rbegin()->channel() != channel) rows_.Add()->set_channel(std::string(channel));
  rows_.rbegin()->mutable_chunk()->append(kept);
  return absl::OkStatus();
}

void CollectedOutput::MoveTo(v1::ToolResult& result) {
  if (rows_.empty()) return;
  result.mutable_output()->Swap(&rows_);
  result.set_output_omitted_bytes(omitted_bytes_);
}

}  // namespace toolgate::services::api
