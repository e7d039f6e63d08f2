// A query made ready to run on one graph.
#ifndef TOOLGATE_EXECUTORS_CYPHER_PLAN_H_
#define TOOLGATE_EXECUTORS_CYPHER_PLAN_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "executors/cypher/operator.h"

namespace toolgate::executors::cypher {

// Owns the operators of a query and counts the slots of its frame. Immutable once it is built.
class Plan {
 public:
  int NewSlot() { return static_cast<int>(slots_++); }
  size_t slots() const { return slots_; }

  template <typename T, typename... Arguments>
  const Operator* Add(Arguments&&... arguments) {
    operators_.push_back(std::make_unique<T>(std::forward<Arguments>(arguments)...));
    return operators_.back().get();
  }

 private:
  size_t slots_ = 0;
  // Flat, so that a long chain of operators is not destroyed recursively.
  std::vector<std::unique_ptr<Operator>> operators_;
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_PLAN_H_
