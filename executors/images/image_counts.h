// Counts images that were asked for, for the operator.
#ifndef TOOLGATE_EXECUTORS_IMAGES_IMAGE_COUNTS_H_
#define TOOLGATE_EXECUTORS_IMAGES_IMAGE_COUNTS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

namespace toolgate::executors::images {

// Thread-safe.
class ImageCounts {
 public:
  // The model failed; its answer had no image that may be kept; the store failed; all went well.
  enum class Outcome { kModelFailed, kRefused, kStoreFailed, kMade };
  static constexpr std::array<std::string_view, 4> kOutcomes = {"model_failed", "refused", "store_failed", "made"};

  void Count(Outcome outcome) { counts_[static_cast<size_t>(outcome)].fetch_add(1, std::memory_order_relaxed); }

  // In the order of kOutcomes.
  std::vector<double> values() const {
    std::vector<double> values;
    for (const auto& count : counts_) values.push_back(static_cast<double>(count.load(std::memory_order_relaxed)));
    return values;
  }

 private:
  std::array<std::atomic<uint64_t>, 4> counts_{};
};

}  // namespace toolgate::executors::images

#endif  // TOOLGATE_EXECUTORS_IMAGES_IMAGE_COUNTS_H_
