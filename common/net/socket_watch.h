// Waits for sockets on behalf of fibers and threads.
#ifndef TOOLGATE_COMMON_NET_SOCKET_WATCH_H_
#define TOOLGATE_COMMON_NET_SOCKET_WATCH_H_

#include <cstdint>
#include <memory>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/fibers/event.h"

namespace toolgate::net {

// One thread with epoll, which sets the event of each socket that has become ready. So a fiber that waits for a server
// holds no thread. Thread-safe.
class SocketWatch {
 public:
  // RESOURCE_EXHAUSTED if the system has no descriptors left.
  static absl::StatusOr<std::unique_ptr<SocketWatch>> Create();
  // Called when no socket is watched any more.
  ~SocketWatch();
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  // A socket and the event that is set for it. Neither is owned; both outlive it.
  class Socket {
   public:
    Socket(SocketWatch& watch, int fd, fibers::Event& event);
    ~Socket();
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    int fd() const { return fd_; }
    // Has the event set once, when the socket can be read from, or, if `write`, also when it can be written to.
    void Arm(bool write);

   private:
    SocketWatch& watch_;
    const int fd_;
    uint64_t id_ = 0;
  };

 private:
  SocketWatch(int epoll, int wake_up);

  void Run();

  const int epoll_;
  const int wake_up_;  // An eventfd, which ends the thread.
  absl::Mutex mutex_;
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint64_t, fibers::Event*> events_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace toolgate::net

#endif  // TOOLGATE_COMMON_NET_SOCKET_WATCH_H_
