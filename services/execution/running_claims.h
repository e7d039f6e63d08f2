// The claims that handlers of this process act under.
#ifndef TOOLGATE_SERVICES_EXECUTION_RUNNING_CLAIMS_H_
#define TOOLGATE_SERVICES_EXECUTION_RUNNING_CLAIMS_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "common/absl_bridge.h"

namespace toolgate::services::execution {

// Tells recovery which claims not to touch. Outlives the cores of earlier configurations. Thread-safe.
class RunningClaims {
 public:
  // Holds the place of one claim while its handler runs and until it is settled or given up.
  class Guard {
   public:
    Guard(RunningClaims& claims, std::string id) : claims_(claims), id_(std::move(id)) {
      absl::MutexLock lock(&claims_.mutex_);
      claims_.ids_.insert(id_);
    }
    ~Guard() {
      absl::MutexLock lock(&claims_.mutex_);
      claims_.ids_.erase(id_);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    RunningClaims& claims_;
    const std::string id_;
  };

  bool Contains(std::string_view id) const {
    absl::MutexLock lock(&mutex_);
    return ids_.contains(ToAbsl(id));
  }

 private:
  mutable absl::Mutex mutex_;
  absl::flat_hash_set<std::string> ids_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_RUNNING_CLAIMS_H_
