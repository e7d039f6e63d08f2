#include "common/net/socket_watch.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace toolgate::net {
namespace {

constexpr uint64_t kWakeUp = 0;  // No socket has this id.

absl::Status NoDescriptor() {
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot wait for sockets: ", std::strerror(errno), "; raise the limit of open files"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SocketWatch>> SocketWatch::Create() {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return NoDescriptor();
  const int wake_up = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_up < 0) {
    const absl::Status status = NoDescriptor();
    close(epoll);
    return status;
  }
  return std::unique_ptr<SocketWatch>(new SocketWatch(epoll, wake_up));
}

SocketWatch::SocketWatch(int epoll, int wake_up) : epoll_(epoll), wake_up_(wake_up) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = kWakeUp;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_up_, &event);
  thread_ = std::thread([this] { Run(); });
}

SocketWatch::~SocketWatch() {
  const uint64_t one = 1;
  // An eventfd at zero takes it.
  if (write(wake_up_, &one, sizeof(one)) != sizeof(one)) std::abort();
  thread_.join();
  close(wake_up_);
  close(epoll_);
}

void SocketWatch::Run() {
  pthread_setname_np(pthread_self(), "toolgate-sockets");
  std::array<epoll_event, 64> ready;
  while (true) {
    const int count = epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), -1);
    absl::MutexLock lock(&mutex_);
    for (int i = 0; i < count; ++i) {
      const uint64_t id = ready[static_cast<size_t>(i)].data.u64;
      if (id == kWakeUp) return;
      // One that was removed meanwhile is not there any more.
      if (const auto event = events_.find(id); event != events_.end()) event->second->Set();
    }
  }
}

SocketWatch::Socket::Socket(SocketWatch& watch, int fd, fibers::Event& event) : watch_(watch), fd_(fd) {
  {
    absl::MutexLock lock(&watch_.mutex_);
    id_ = ++watch_.last_id_;
    watch_.events_.emplace(id_, &event);
  }
  epoll_event wanted = {};
  wanted.events = EPOLLONESHOT;
  wanted.data.u64 = id_;
  epoll_ctl(watch_.epoll_, EPOLL_CTL_ADD, fd_, &wanted);
}

SocketWatch::Socket::~Socket() {
  epoll_event unused = {};
  epoll_ctl(watch_.epoll_, EPOLL_CTL_DEL, fd_, &unused);
  absl::MutexLock lock(&watch_.mutex_);
  watch_.events_.erase(id_);
}

void SocketWatch::Socket::Arm(bool write) {
  epoll_event wanted = {};
  wanted.events = EPOLLONESHOT | EPOLLIN | (write ? EPOLLOUT : 0u);
  wanted.data.u64 = id_;
  epoll_ctl(watch_.epoll_, EPOLL_CTL_MOD, fd_, &wanted);
}

}  // namespace toolgate::net
