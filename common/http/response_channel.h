// Hands a response from the thread that receives it to the one who reads it.
#ifndef TOOLGATE_COMMON_HTTP_RESPONSE_CHANNEL_H_
#define TOOLGATE_COMMON_HTTP_RESPONSE_CHANNEL_H_

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/fibers/event.h"
#include "common/fibers/wait.h"
#include "common/http/client.h"

namespace toolgate::http {

// One receiver, one reader. Holds back the receiver when the reader is slow. Thread-safe; nobody waits with a lock.
class ResponseChannel {
 public:
  // Bytes that are held for the reader. One piece may exceed it.
  static constexpr size_t kMaxBuffered = size_t{256} << 10;

  // --- The receiver ---

  void PutHead(ResponseHead head) ABSL_LOCKS_EXCLUDED(mutex_);
  // False, and nothing taken, when the buffer is full. Then the reader's next TakeStalled answers true, once.
  bool Put(std::string_view piece) ABSL_LOCKS_EXCLUDED(mutex_);
  // The body is complete, or `status` ended it. Only the first end counts.
  void End(absl::Status status) ABSL_LOCKS_EXCLUDED(mutex_);
  void set_sent() { sent_ = true; }
  bool abandoned() const { return abandoned_; }

  // --- The reader ---

  // Both as Exchange has them.
  absl::StatusOr<ResponseHead> Head(fibers::Wait wait) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::string> Next(fibers::Wait wait) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the receiver found the buffer full, which it is no more.
  bool TakeStalled() ABSL_LOCKS_EXCLUDED(mutex_);
  bool sent() const { return sent_; }
  bool ended() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Nobody reads any more.
  void Abandon() { abandoned_ = true; }

 private:
  // Waits until the receiver has put something or ended, and `ready`, called with the lock, is true.
  template <typename Ready>
  absl::Status Await(fibers::Wait wait, Ready ready) ABSL_LOCKS_EXCLUDED(mutex_);

  std::atomic<bool> sent_{false};
  std::atomic<bool> abandoned_{false};
  fibers::Event changed_;
  mutable absl::Mutex mutex_;
  std::optional<ResponseHead> head_ ABSL_GUARDED_BY(mutex_);
  std::string buffer_ ABSL_GUARDED_BY(mutex_);
  bool stalled_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_RESPONSE_CHANNEL_H_
