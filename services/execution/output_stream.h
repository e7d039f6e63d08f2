// The output of an effect, on its way to the client.
#ifndef TOOLGATE_SERVICES_EXECUTION_OUTPUT_STREAM_H_
#define TOOLGATE_SERVICES_EXECUTION_OUTPUT_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "security/tool_call.h"
#include "services/execution/environment.h"

namespace toolgate::services::execution {

// Treats output as text from outside the workspace: before the client sees the first piece, the call's conversation is
// marked, durably; before it sees any, layer 1 has scanned that piece together with what came right before it. Findings
// go into the call, kMaxFindings at most. Borrows everything; used by the thread of the call.
class OutputStream {
 public:
  static constexpr size_t kMaxFindings = 100;
  // Text before a piece that is scanned with it, so that an attack cut in two is still seen.
  static constexpr size_t kContextBytes = 1024;
  // Output that is read in all ways. The time of a scan is the tool's: what comes after it is read as it stands, which
  // is a finding, so that no output makes a command miss its deadline.
  static constexpr int64_t kReadInAllWays = int64_t{4} << 20;

  OutputStream(const Environment& environment, security::ToolCall& call) : environment_(environment), call_(call) {}

  // Waits while the client is slow; leaves the call's running place meanwhile.
  absl::Status Push(std::string_view channel, std::string_view bytes);

  // Whether there was any.
  bool used() const { return used_; }

 private:
  struct Channel {
    std::string name;
    std::string context;  // The end of the text so far.
    int64_t bytes = 0;    // Of the text so far.
    // Findings within the context, by rule and place in the channel's text.
    std::vector<std::pair<std::string, int64_t>> seen = {};
    // Reasons for which some of it could not be read: each is told once, of the first piece.
    std::set<std::string> unreadable = {};
  };

  static bool IsNew(Channel& channel, const security::Finding& finding);
  Channel& ChannelOf(std::string_view name);
  void Scan(Channel& channel, std::string_view piece);

  const Environment& environment_;
  security::ToolCall& call_;
  bool used_ = false;
  size_t findings_ = 0;
  int64_t bytes_ = 0;  // Of all channels.
  std::vector<Channel> channels_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_OUTPUT_STREAM_H_
