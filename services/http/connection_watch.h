// The connections of an HTTP listener, as far as the HTTP library does not look after them.
#ifndef TOOLGATE_SERVICES_HTTP_CONNECTION_WATCH_H_
#define TOOLGATE_SERVICES_HTTP_CONNECTION_WATCH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"

namespace toolgate::services::http {

// Told that a client has closed its connection, or its sending half. From any thread.
class HangUpListener {
 public:
  virtual void OnHangUp() = 0;

 protected:
  ~HangUpListener() = default;
};

// libmicrohttpd does not look at a connection while its request waits for an answer, so it does not see a client leave;
// and its only time-out starts again with every byte, so a client that sends one now and then keeps a connection for
// ever. One thread makes up for both. It closes nothing itself: it shuts connections down, which the library notices.
// Thread-safe.
class ConnectionWatch {
 public:
  struct Limits {
    absl::Duration head;     // From the connection's begin to the end of its first request's head.
    absl::Duration idle;     // From the end of an answer to the end of the next request's head.
    absl::Duration request;  // From a request's head to the end of its body.
  };

  // `on_tick` is called by the thread, every kTick or so. Borrows `clock`. UNAVAILABLE: the system refuses.
  static absl::StatusOr<std::unique_ptr<ConnectionWatch>> Start(const Clock& clock, const Limits& limits,
                                                                std::function<void()> on_tick);
  ~ConnectionWatch();
  ConnectionWatch(const ConnectionWatch&) = delete;
  ConnectionWatch& operator=(const ConnectionWatch&) = delete;

  // The life of the connection `fd`: the head and the body of its requests, and the ends of their answers. Closed comes
  // before the descriptor is closed.
  void Opened(int fd);
  void HeadReceived(int fd);
  // A part of the body has come.
  void BytesReceived(int fd);
  // `listener` hears of a hang-up from now on, or at once.
  void BodyReceived(int fd, const std::weak_ptr<HangUpListener>& listener);
  void Answered(int fd);
  void Closed(int fd);

  // Shuts down the connections that no request is on, now and when their requests are answered.
  void BeginDrain();
  // Shuts down the connections on which a request has begun to come, and for `silence` nothing of the rest.
  void CloseIncomplete(absl::Duration silence);

  // Shuts down the connections whose time is over. For tests; the thread does so by itself.
  void Sweep();

  static constexpr absl::Duration kTick = absl::Milliseconds(200);

 private:
  struct Connection {
    uint32_t generation = 0;  // Tells it from an earlier one with the same descriptor.
    absl::Duration deadline = absl::InfiniteDuration();
    absl::Duration received;  // When the last part of the request came, from its head on.
    bool idle = true;
    bool hung_up = false;
    std::weak_ptr<HangUpListener> listener;
  };

  ConnectionWatch(const Clock& clock, const Limits& limits, std::function<void()> on_tick)
      : clock_(clock), limits_(limits), on_tick_(std::move(on_tick)) {}

  void Run();
  void HungUp(int fd, uint32_t generation);
  void SetIdle(int fd, Connection& connection, absl::Duration patience) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  const Limits limits_;
  const std::function<void()> on_tick_;
  int epoll_ = -1;
  int stop_event_ = -1;
  absl::Mutex mutex_;
  absl::flat_hash_map<int, Connection> connections_ ABSL_GUARDED_BY(mutex_);
  uint32_t next_generation_ ABSL_GUARDED_BY(mutex_) = 0;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_CONNECTION_WATCH_H_
