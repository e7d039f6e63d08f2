#include "services/grpc/acceptor/settings_gate.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace toolgate::services::grpc::acceptor {
namespace {

constexpr uint16_t kMaxConcurrentStreams = 3;
constexpr uint16_t kMaxHeaderListSize = 6;

void AppendSetting(uint16_t id, int value, std::string& payload) {
  for (const int shift : {8, 0}) payload += static_cast<char>(id >> shift);
  for (const int shift : {24, 16, 8, 0}) payload += static_cast<char>(static_cast<uint32_t>(value) >> shift);
}

std::string SettingsFrame(const SettingsGate::Limits& limits) {
  std::string payload;
  AppendSetting(kMaxConcurrentStreams, limits.max_streams, payload);
  AppendSetting(kMaxHeaderListSize, limits.max_metadata_bytes, payload);
  // Length, type, flags, stream.
  const std::string header = {0, 0, static_cast<char>(payload.size()), 4, 0, 0, 0, 0, 0};
  return header + payload;
}

}  // namespace

SettingsGate::SettingsGate(const Limits& limits, const Clock& clock)
    : limits_(limits), clock_(clock), settings_(SettingsFrame(limits)) {}

SettingsGate::~SettingsGate() { Close(); }

void SettingsGate::Close() {
  for (const Waiting& connection : waiting_) close(connection.fd);
  waiting_.clear();
}

void SettingsGate::Add(int fd, int listener_fd, bool is_tcp) {
  // Nothing was sent before, so all of it has room.
  if (send(fd, settings_.data(), settings_.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(settings_.size())) {
    close(fd);
    return;
  }
  if (waiting_.size() == kMaxWaiting) {
    close(waiting_.front().fd);
    waiting_.erase(waiting_.begin());
  }
  waiting_.push_back({fd, listener_fd, is_tcp, clock_.Monotonic() + kPatience, OpeningFrames(limits_.max_streams)});
}

void SettingsGate::AppendTo(std::vector<pollfd>& events) const {
  for (const Waiting& connection : waiting_) events.push_back({connection.fd, POLLIN, 0});
}

std::vector<SettingsGate::Passed> SettingsGate::Serve(absl::Span<const pollfd> events) {
  std::vector<Passed> passed;
  const absl::Duration now = clock_.Monotonic();
  for (size_t i = 0; i < waiting_.size(); ++i) {
    Waiting& connection = waiting_[i];
    const bool lives = (events[i].revents == 0 || Read(connection)) && now < connection.deadline;
    if (lives && connection.frames.state() == OpeningFrames::State::kUnacknowledged) continue;
    const int fd = std::exchange(connection.fd, -1);
    if (lives) {
      passed.push_back({fd, connection.listener_fd, connection.is_tcp, connection.frames.bytes()});
    } else {
      close(fd);
    }
  }
  const auto gone = [](const Waiting& connection) { return connection.fd < 0; };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), gone), waiting_.end());
  return passed;
}

int SettingsGate::TimeoutMs() const {
  if (waiting_.empty()) return -1;
  const absl::Duration left = waiting_.front().deadline - clock_.Monotonic();
  return static_cast<int>(std::max<int64_t>(absl::ToInt64Milliseconds(left), 0)) + 1;
}

bool SettingsGate::Read(Waiting& connection) {
  std::array<char, 16384> buffer;
  const ssize_t seen = recv(connection.fd, buffer.data(), buffer.size(), MSG_PEEK);
  if (seen < 0) return errno == EAGAIN || errno == EINTR;
  if (seen == 0) return false;
  const size_t taken = connection.frames.Take({buffer.data(), static_cast<size_t>(seen)});
  if (connection.frames.state() == OpeningFrames::State::kRefused) return false;
  // The same bytes again: no one else reads.
  return taken == 0 || recv(connection.fd, buffer.data(), taken, 0) == static_cast<ssize_t>(taken);
}

}  // namespace toolgate::services::grpc::acceptor
