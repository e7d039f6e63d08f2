// Hands something from one thread to another with a single wake-up: unlike a condition variable's, the thread that
// wakes needs no lock that the one that woke it may still hold.
#ifndef TOOLGATE_COMMON_FIBERS_SEMAPHORE_H_
#define TOOLGATE_COMMON_FIBERS_SEMAPHORE_H_

#include <semaphore.h>

#include <cerrno>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace toolgate::fibers {

// A POSIX semaphore that begins at zero. What was written before a Post is seen after the Wait that it ends. The waiter
// may destroy it as soon as Wait returns, even while Post has not yet done so. Thread-safe.
class Semaphore {
 public:
  Semaphore() { sem_init(&semaphore_, /*pshared=*/0, 0); }
  ~Semaphore() { sem_destroy(&semaphore_); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  void Post() { sem_post(&semaphore_); }

  void Wait() {
    while (sem_wait(&semaphore_) != 0 && errno == EINTR) {
    }
  }

  // False when nothing was posted for `timeout`.
  bool WaitFor(absl::Duration timeout) {
    const timespec end = absl::ToTimespec(absl::Now() + timeout);
    int failed = 0;
    do {
      failed = sem_timedwait(&semaphore_, &end);
    } while (failed != 0 && errno == EINTR);
    return failed == 0;
  }

 private:
  sem_t semaphore_;
};

}  // namespace toolgate::fibers

#endif  // TOOLGATE_COMMON_FIBERS_SEMAPHORE_H_
