#include "services/http/connection_watch.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"

namespace toolgate::services::http {
namespace {

constexpr uint64_t kStopEvent = ~uint64_t{0};

uint64_t Pack(int fd, uint32_t generation) { return (uint64_t{generation} << 32) | static_cast<uint32_t>(fd); }

}  // namespace

absl::StatusOr<std::unique_ptr<ConnectionWatch>> ConnectionWatch::Start(const Clock& clock, const Limits& limits,
                                                                        std::function<void()> on_tick) {
  auto self = absl::WrapUnique(new ConnectionWatch(clock, limits, std::move(on_tick)));
  self->epoll_ = epoll_create1(EPOLL_CLOEXEC);
  self->stop_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kStopEvent;
  if (self->epoll_ < 0 || self->stop_event_ < 0 ||
      epoll_ctl(self->epoll_, EPOLL_CTL_ADD, self->stop_event_, &event) != 0) {
    return absl::UnavailableError("the system grants no descriptors to watch HTTP connections with");
  }
  self->thread_ = std::thread([raw = self.get()] {
    pthread_setname_np(pthread_self(), "toolgate-http-w");
    raw->Run();
  });
  return self;
}

ConnectionWatch::~ConnectionWatch() {
  if (thread_.joinable()) {
    eventfd_write(stop_event_, 1);
    thread_.join();
  }
  if (epoll_ >= 0) close(epoll_);
  if (stop_event_ >= 0) close(stop_event_);
}

void ConnectionWatch::Opened(int fd) {
  absl::MutexLock lock(&mutex_);
  Connection& connection = connections_[fd];
  connection = Connection();
  connection.generation = next_generation_++;
  SetIdle(fd, connection, limits_.head);
  epoll_event event{};
  event.events = EPOLLRDHUP | EPOLLONESHOT;
  event.data.u64 = Pack(fd, connection.generation);
  // Without it, only the hang-up stays unnoticed until an answer is sent.
  static_cast<void>(epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event));
}

void ConnectionWatch::SetIdle(int fd, Connection& connection, absl::Duration patience) {
  connection.idle = true;
  connection.listener.reset();
  connection.deadline = clock_.Monotonic() + patience;
  if (draining_) shutdown(fd, SHUT_RDWR);
}

void ConnectionWatch::HeadReceived(int fd) {
  absl::MutexLock lock(&mutex_);
  const auto found = connections_.find(fd);
  if (found == connections_.end()) return;
  found->second.idle = false;
  found->second.received = clock_.Monotonic();
  found->second.deadline = found->second.received + limits_.request;
}

void ConnectionWatch::BytesReceived(int fd) {
  absl::MutexLock lock(&mutex_);
  const auto found = connections_.find(fd);
  if (found != connections_.end()) found->second.received = clock_.Monotonic();
}

void ConnectionWatch::BodyReceived(int fd, const std::weak_ptr<HangUpListener>& listener) {
  bool hung_up = false;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = connections_.find(fd);
    if (found == connections_.end()) return;
    found->second.deadline = absl::InfiniteDuration();
    found->second.listener = listener;
    hung_up = found->second.hung_up;
  }
  if (!hung_up) return;
  if (const auto present = listener.lock(); present != nullptr) present->OnHangUp();
}

void ConnectionWatch::Answered(int fd) {
  absl::MutexLock lock(&mutex_);
  const auto found = connections_.find(fd);
  if (found != connections_.end()) SetIdle(fd, found->second, limits_.idle);
}

void ConnectionWatch::Closed(int fd) {
  absl::MutexLock lock(&mutex_);
  if (connections_.erase(fd) > 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
}

void ConnectionWatch::BeginDrain() {
  absl::MutexLock lock(&mutex_);
  draining_ = true;
  for (const auto& [fd, connection] : connections_) {
    if (connection.idle) shutdown(fd, SHUT_RDWR);
  }
}

void ConnectionWatch::CloseIncomplete(absl::Duration silence) {
  const absl::Duration last = clock_.Monotonic() - silence;
  absl::MutexLock lock(&mutex_);
  for (const auto& [fd, connection] : connections_) {
    const bool is_incomplete = !connection.idle && connection.deadline < absl::InfiniteDuration();
    if (is_incomplete && connection.received <= last) shutdown(fd, SHUT_RDWR);
  }
}

void ConnectionWatch::Sweep() {
  const absl::Duration now = clock_.Monotonic();
  absl::MutexLock lock(&mutex_);
  for (const auto& [fd, connection] : connections_) {
    if (connection.deadline <= now) shutdown(fd, SHUT_RDWR);
  }
}

void ConnectionWatch::HungUp(int fd, uint32_t generation) {
  std::shared_ptr<HangUpListener> listener;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = connections_.find(fd);
    if (found == connections_.end() || found->second.generation != generation) return;
    found->second.hung_up = true;
    listener = found->second.listener.lock();
  }
  if (listener != nullptr) listener->OnHangUp();
}

void ConnectionWatch::Run() {
  using std::chrono::ceil;
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  const auto tick = absl::ToChronoMilliseconds(kTick);
  std::array<epoll_event, 64> events{};
  auto next_tick = steady_clock::now() + tick;
  while (true) {
    const auto left = std::max(ceil<milliseconds>(next_tick - steady_clock::now()), milliseconds(0));
    const int count =
        epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), static_cast<int>(left.count()));
    for (int i = 0; i < count; ++i) {
      const uint64_t data = events[static_cast<size_t>(i)].data.u64;
      if (data == kStopEvent) return;
      HungUp(static_cast<int>(data & 0xFFFFFFFF), static_cast<uint32_t>(data >> 32));
    }
    if (steady_clock::now() < next_tick) continue;
    next_tick = steady_clock::now() + tick;
    Sweep();
    on_tick_();
  }
}

}  // namespace toolgate::services::http
