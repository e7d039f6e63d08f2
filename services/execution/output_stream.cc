#include "services/execution/output_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "security/injection_defence/disguise.h"
#include "security/place_left.h"

namespace toolgate::services::execution {

absl::Status OutputStream::Push(std::string_view channel, std::string_view bytes) {
  RETURN_IF_ERROR(call_.cancellation.Check());
  if (bytes.empty()) return absl::OkStatus();
  if (!used_) RETURN_IF_ERROR(environment_.outside_text.MarkConversation(call_));
  used_ = true;
  Scan(ChannelOf(channel), bytes);
  if (call_.events == nullptr) return absl::OkStatus();
  const security::PlaceLeft left(call_);
  return call_.events->Output(channel, bytes);
}

OutputStream::Channel& OutputStream::ChannelOf(std::string_view name) {
  for (Channel& channel : channels_) {
    if (channel.name == name) return channel;
  }
  return channels_.emplace_back(Channel{std::string(name), ""});
}

bool OutputStream::IsNew(Channel& channel, const security::Finding& finding) {
  if (finding.family == security::injection_defence::kBinary.family) {
    return channel.unreadable.insert(finding.rule_id).second;
  }
  std::pair<std::string, int64_t> key(finding.rule_id, finding.offset);
  if (std::find(channel.seen.begin(), channel.seen.end(), key) != channel.seen.end()) return false;
  channel.seen.push_back(std::move(key));
  return true;
}

void OutputStream::Scan(Channel& channel, std::string_view piece) {
  const int64_t window_begin = channel.bytes - static_cast<int64_t>(channel.context.size());
  std::string window = absl::StrCat(channel.context, ToAbsl(piece));
  const auto effort = bytes_ < kReadInAllWays ? OutsideText::Effort::kAllReadings : OutsideText::Effort::kAsWritten;
  bytes_ += static_cast<int64_t>(piece.size());
  for (security::Finding& finding :
       environment_.outside_text.Find(window, absl::StrCat("output/", channel.name), effort)) {
    finding.offset += window_begin;
    if (findings_ == kMaxFindings || !IsNew(channel, finding)) continue;
    ++findings_;
    call_.state.findings.push_back(std::move(finding));
  }
  channel.bytes += static_cast<int64_t>(piece.size());
  if (window.size() > kContextBytes) window.erase(0, window.size() - kContextBytes);
  channel.context = std::move(window);
  const int64_t context_begin = channel.bytes - static_cast<int64_t>(channel.context.size());
  std::erase_if(channel.seen, [&](const auto& seen) { return seen.second < context_begin; });
}

}  // namespace toolgate::services::execution
