// The claims that handlers of this process act under.
#ifndef TOOLGATE_SERVICES_EXECUTION_RUNNING_CLAIMS_H_
#define TOOLGATE_SERVICES_EXECUTION_RUNNING_CLAIMS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "common/absl_bridge.h"

namespace toolgate::services::execution {

// Tells recovery which claims not to touch, and renewal which to renew. Outlives the cores of earlier configurations.
// Thread-safe.
class RunningClaims {
 public:
  struct Entry {
    std::string id;
    std::string workspace_id;
    std::string user_id;
  };

  // Holds one claim's entry while its handler runs and until it is settled or given up.
  class Guard {
   public:
    Guard(RunningClaims& claims, Entry entry) : claims_(claims), id_(entry.id) {
      absl::MutexLock lock(&claims_.mutex_);
      claims_.entries_.emplace(id_, std::move(entry));
    }
    ~Guard() {
      absl::MutexLock lock(&claims_.mutex_);
      claims_.entries_.erase(id_);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    RunningClaims& claims_;
    const std::string id_;
  };

  bool Contains(std::string_view id) const {
    absl::MutexLock lock(&mutex_);
    return entries_.contains(ToAbsl(id));
  }
  std::vector<Entry> List() const {
    absl::MutexLock lock(&mutex_);
    std::vector<Entry> entries;
    entries.reserve(entries_.size());
    for (const auto& [id, entry] : entries_) entries.push_back(entry);
    return entries;
  }

 private:
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_RUNNING_CLAIMS_H_
