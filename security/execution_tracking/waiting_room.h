// How many calls may wait, over all bulkheads together.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_WAITING_ROOM_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_WAITING_ROOM_H_

#include <atomic>
#include <cstdint>

namespace toolgate::security::execution_tracking {

// Thread-safe.
class WaitingRoom {
 public:
  explicit WaitingRoom(int64_t places) : places_(places) {}
  WaitingRoom(const WaitingRoom&) = delete;
  WaitingRoom& operator=(const WaitingRoom&) = delete;

  // False when all places are taken. After true, Leave must follow.
  bool TryEnter() {
    int64_t waiting = waiting_.load(std::memory_order_relaxed);
    while (waiting < places_) {
      if (waiting_.compare_exchange_weak(waiting, waiting + 1, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void Leave() { waiting_.fetch_sub(1, std::memory_order_relaxed); }
  int64_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  const int64_t places_;
  std::atomic<int64_t> waiting_{0};
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_WAITING_ROOM_H_
