// A table that drops what was not used for longest.
#ifndef TOOLGATE_COMMON_RECENT_TABLE_H_
#define TOOLGATE_COMMON_RECENT_TABLE_H_

#include <cstddef>
#include <iterator>
#include <list>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/absl_bridge.h"

namespace toolgate {

// Values by key, for keys that callers choose: without a bound they would be kept for ever. Not thread-safe.
template <typename Value>
class RecentTable {
 public:
  // Null: there is none. Counts as a use. Valid until the table changes.
  Value* Find(std::string_view key) {
    const auto found = by_key_.find(ToAbsl(key));
    if (found == by_key_.end()) return nullptr;
    by_use_.splice(by_use_.begin(), by_use_, found->second);
    return &found->second->second;
  }

  // Adds a value under a key that has none. Counts as a use.
  Value& Add(std::string_view key, Value value) {
    by_use_.emplace_front(std::string(key), std::move(value));
    by_key_.emplace(by_use_.front().first, by_use_.begin());
    return by_use_.front().second;
  }

  // Drops values that `may_drop`, those that were not used for longest first, until `most` are left or none may go.
  template <typename MayDrop>
  void Trim(size_t most, MayDrop may_drop) {
    for (auto next = by_use_.end(); size() > most && next != by_use_.begin();) {
      --next;
      if (!may_drop(next->second)) continue;
      by_key_.erase(next->first);
      next = by_use_.erase(next);
    }
  }

  size_t size() const { return by_use_.size(); }

  // From the latest use on.
  auto begin() const { return by_use_.begin(); }
  auto end() const { return by_use_.end(); }

 private:
  using ByUse = std::list<std::pair<std::string, Value>>;

  ByUse by_use_;
  absl::flat_hash_map<std::string, typename ByUse::iterator> by_key_;
};

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_RECENT_TABLE_H_
