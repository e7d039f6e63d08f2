// Connections on which the client has not yet acknowledged the server's SETTINGS.
#ifndef TOOLGATE_SERVICES_GRPC_ACCEPTOR_SETTINGS_GATE_H_
#define TOOLGATE_SERVICES_GRPC_ACCEPTOR_SETTINGS_GATE_H_

#include <poll.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/clock.h"
#include "services/grpc/acceptor/opening_frames.h"

namespace toolgate::services::grpc::acceptor {

// gRPC 1.51 keeps its limits on metadata, streams and the table of headers only once a client has acknowledged its
// SETTINGS, and does not insist on that. So this sends SETTINGS itself, takes the first frames of a plaintext
// connection, and hands it on when the acknowledgement waits in the socket: all that came before it in memory, its last
// byte unread. Not thread-safe: the acceptor's thread does all.
class SettingsGate {
 public:
  // Told to clients; gRPC then tells them the same.
  struct Limits {
    int max_streams = 0;
    int max_metadata_bytes = 0;
  };

  // Slower clients are dropped; as gRPC does with its handshake.
  static constexpr absl::Duration kPatience = absl::Seconds(10);
  // One more drops the one that has waited longest, so that idle clients cannot keep others out. With
  // OpeningFrames::kMaxBytes of each, 16 MiB.
  static constexpr size_t kMaxWaiting = 128;

  // A connection whose client has acknowledged. The receiver owns `fd`.
  struct Passed {
    int fd = -1;
    int listener_fd = -1;
    bool is_tcp = false;
    std::string opening = {};  // Bytes that were read from it.
  };

  SettingsGate(const Limits& limits, const Clock& clock);
  ~SettingsGate();
  SettingsGate(const SettingsGate&) = delete;
  SettingsGate& operator=(const SettingsGate&) = delete;

  // Takes over the new connection `fd`, which is non-blocking.
  void Add(int fd, int listener_fd, bool is_tcp);
  // Appends one event for each connection to wait for.
  void AppendTo(std::vector<pollfd>& events) const;
  // Reads from the connections whose `events`, those of the latest AppendTo, have come, and drops the overdue ones.
  // Nothing was added since AppendTo.
  std::vector<Passed> Serve(absl::Span<const pollfd> events);
  // Drops all connections.
  void Close();
  // Milliseconds until a connection is overdue, for poll; -1: none waits.
  int TimeoutMs() const;

  size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    int fd;
    int listener_fd;
    bool is_tcp;
    absl::Duration deadline;
    OpeningFrames frames;
  };

  // Reads what is there. False: the client has left, or is to be dropped.
  static bool Read(Waiting& connection);

  const Limits limits_;
  const Clock& clock_;
  const std::string settings_;    // The frame that is sent.
  std::vector<Waiting> waiting_;  // The one that has waited longest first.
};

}  // namespace toolgate::services::grpc::acceptor

#endif  // TOOLGATE_SERVICES_GRPC_ACCEPTOR_SETTINGS_GATE_H_
