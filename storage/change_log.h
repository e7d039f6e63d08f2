// Records a transaction's changes to things of one kind.
#ifndef TOOLGATE_STORAGE_CHANGE_LOG_H_
#define TOOLGATE_STORAGE_CHANGE_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "storage/changes.h"
#include "storage/image.h"
#include "storage/undo_bound.h"

namespace toolgate::storage {

// One delta for each touched thing, in the order of first touch. While steps are kept, the changes since a step can be
// forgotten. `KeyOf(thing)` identifies a thing. Used by one thread.
template <typename Thing>
class ChangeLog {
 public:
  // From `before` to `after`; one of them is set.
  void Record(Image<Thing> before, Image<Thing> after, bool keep_step) {
    const auto [place, added] = place_of_.try_emplace(KeyOf(before ? *before : *after), deltas_.size());
    if (added) {
      if (keep_step) steps_.push_back({place->second, true, {}});
      bytes_ += UndoBytes(deltas_.emplace_back(Delta<Thing>{std::move(before), std::move(after)}));
      return;
    }
    Delta<Thing>& delta = deltas_[place->second];
    bytes_ -= UndoBytes(delta);
    if (keep_step) steps_.push_back({place->second, false, std::move(delta.after)});
    delta.after = std::move(after);
    bytes_ += UndoBytes(delta);
  }

  // nullptr if the thing was not changed.
  const Delta<Thing>* Find(const std::string& key) const {
    const auto found = place_of_.find(key);
    return found == place_of_.end() ? nullptr : &deltas_[found->second];
  }

  // Calls `amend` with the thing's original state, to be completed; not if it is new or was not changed.
  template <typename Amend>
  void AmendBefore(const std::string& key, Amend amend) {
    const auto found = place_of_.find(key);
    if (found != place_of_.end() && deltas_[found->second].before) amend(deltas_[found->second].before);
  }
  // The same for all things that existed before.
  template <typename Amend>
  void AmendBefores(Amend amend) {
    for (Delta<Thing>& delta : deltas_) {
      if (delta.before) amend(delta.before);
    }
  }

  // The deltas for which `ended_as_it_began` is false.
  template <typename Predicate>
  std::vector<Delta<Thing>> Deltas(Predicate ended_as_it_began) const {
    std::vector<Delta<Thing>> changed;
    changed.reserve(deltas_.size());
    for (const Delta<Thing>& delta : deltas_) {
      if (!delta.before && !delta.after) continue;
      if (delta.before && delta.after && ended_as_it_began(*delta.before, *delta.after)) continue;
      changed.push_back(delta);
    }
    return changed;
  }

  // The same for the changes since a step, in the order of first touch since then.
  template <typename Predicate>
  std::vector<Delta<Thing>> DeltasSince(size_t step, Predicate ended_as_it_began) const {
    std::vector<Delta<Thing>> changed;
    absl::flat_hash_set<size_t> seen;
    for (size_t i = step; i < steps_.size(); ++i) {
      const Step& first = steps_[i];
      if (!seen.insert(first.index).second) continue;
      const Delta<Thing>& whole = deltas_[first.index];
      const Image<Thing>& before = first.added ? whole.before : first.previous_after;
      if (!before && !whole.after) continue;
      if (before && whole.after && ended_as_it_began(*before, *whole.after)) continue;
      changed.push_back({before, whole.after});
    }
    return changed;
  }

  // Size of all deltas in an undo entry.
  int64_t bytes() const { return bytes_; }
  // Things that have been recorded, each once.
  size_t things() const { return deltas_.size(); }

  size_t steps() const { return steps_.size(); }
  void ForgetSince(size_t step) {
    while (steps_.size() > step) {
      Step& last = steps_.back();
      Delta<Thing>& delta = deltas_[last.index];
      bytes_ -= UndoBytes(delta);
      if (last.added) {
        place_of_.erase(KeyOf(delta.before ? *delta.before : *delta.after));
        deltas_.pop_back();
      } else {
        delta.after = std::move(last.previous_after);
        bytes_ += UndoBytes(delta);
      }
      steps_.pop_back();
    }
  }
  // The recorded changes become permanent.
  void ForgetSteps() { steps_.clear(); }

 private:
  struct Step {
    size_t index;
    bool added;                   // The row was new; otherwise:
    Image<Thing> previous_after;  // the former value of `after`.
  };

  // A change of 100,000 things has as many deltas: growing a vector would hold them twice.
  std::deque<Delta<Thing>> deltas_;
  absl::flat_hash_map<std::string, size_t> place_of_;
  std::vector<Step> steps_;
  int64_t bytes_ = 0;
};

// For the logs of a transaction.
inline const std::string& KeyOf(const Block& block) { return block.id; }
inline std::string KeyOf(const Link& link) { return link.from_id + '\0' + link.to_id + '\0' + link.relation; }
inline std::string KeyOf(const Document& document) { return document.kind + '\0' + document.name; }

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_CHANGE_LOG_H_
