// Ids that earlier results brought, for the arguments of later calls.
#ifndef TOOLGATE_CLI_LOAD_PROFILE_POOLS_H_
#define TOOLGATE_CLI_LOAD_PROFILE_POOLS_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "cli/load/schedule/random.h"

namespace toolgate::cli::load::profile {

enum class PoolDraw {
  kAny,   // All ids with the same probability.
  kZipf,  // The first ids most often.
  kLast,  // The newest id.
  kTake,  // Any id, which leaves the pool.
};

// Ids of one workspace, in numbered pools. A full pool replaces a random id. Thread-safe.
class Pools {
 public:
  static constexpr size_t kMostIds = 100'000;
  static constexpr size_t kMostPools = 32;

  explicit Pools(size_t count) : pools_(count) {}

  void Add(size_t pool, std::string id, schedule::Random& random);
  // Nothing if the pool is empty.
  std::optional<std::string> Draw(size_t pool, PoolDraw how, schedule::Random& random);
  size_t size(size_t pool) const;

 private:
  struct Pool {
    mutable absl::Mutex mutex;
    std::vector<std::string> ids ABSL_GUARDED_BY(mutex);
  };

  std::deque<Pool> pools_;  // Stable addresses.
};

}  // namespace toolgate::cli::load::profile

#endif  // TOOLGATE_CLI_LOAD_PROFILE_POOLS_H_
