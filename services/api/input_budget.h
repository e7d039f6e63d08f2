// Memory that requests take on their way in.
#ifndef TOOLGATE_SERVICES_API_INPUT_BUDGET_H_
#define TOOLGATE_SERVICES_API_INPUT_BUDGET_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/json_count.h"

namespace toolgate::services::api {

// Bounds what all requests together take before anything is known of them: bodies that arrive, and what they become
// when they are read. Ordinary requests, which are small, are bounded by the number of connections and workers; only
// what is larger counts, so that those who send much do not stop those who send little. Thread-safe.
class InputBudget {
 public:
  // Bytes of a request, and of what is made of it, that do not count.
  static constexpr int64_t kFreeBytes = int64_t{64} << 10;
  static constexpr int64_t kUsualMaxBytes = int64_t{128} << 20;

  // A share of the budget, given back at its end. Used by one thread at a time.
  class Lease {
   public:
    Lease() = default;
    explicit Lease(InputBudget& budget) : budget_(&budget) {}
    Lease(Lease&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Lease& operator=(Lease&& other) noexcept {
      Release();
      budget_ = std::exchange(other.budget_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
      return *this;
    }
    ~Lease() { Release(); }

    // False, and as it was, when the budget has no room.
    [[nodiscard]] bool Grow(int64_t bytes);
    // Keeps nothing; may grow again.
    void Release();

   private:
    InputBudget* budget_ = nullptr;
    int64_t bytes_ = 0;
  };

  explicit InputBudget(int64_t max_bytes = kUsualMaxBytes) : max_bytes_(max_bytes) {}
  InputBudget(const InputBudget&) = delete;
  InputBudget& operator=(const InputBudget&) = delete;

  int64_t taken() const { return taken_.load(std::memory_order_relaxed); }

 private:
  bool Take(int64_t bytes);

  const int64_t max_bytes_;
  std::atomic<int64_t> taken_{0};
};

// Bytes that a JSON text of `bytes` takes when it is read into a tree and written once more, generously.
inline int64_t CostOfJson(size_t bytes, const JsonCounts& counts) {
  constexpr int64_t kValueBytes = 64;  // With what an array or a text allocates.
  constexpr int64_t kKeyBytes = 64;
  return 2 * static_cast<int64_t>(bytes) + kValueBytes * static_cast<int64_t>(counts.values) +
         kKeyBytes * static_cast<int64_t>(counts.keys);
}

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_INPUT_BUDGET_H_
