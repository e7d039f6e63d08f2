// Bounds the memory that SQLite takes for one piece of work.
#ifndef TOOLGATE_COMMON_SQLITE_SQLITE_BUDGET_H_
#define TOOLGATE_COMMON_SQLITE_SQLITE_BUDGET_H_

#include <cstdint>
#include <functional>

#include "common/fairness/memory_budget.h"
#include "common/stack_bound.h"

namespace toolgate::sqlite {

// While it lives, everything that SQLite allocates on this thread counts against it. Beyond the bound, or once
// `may_go_on` says no, an allocation fails, and with it the statement (SQLITE_NOMEM). SQLite allocates in places where
// it asks nobody whether it may go on, so this is also what stops a statement that takes too long to compile, or that
// nests so deep that the stack would not do.
//
// Made, used and destroyed by one thread; at most one at a time on a thread. Install comes first.
class SqliteBudget {
 public:
  // Puts itself between SQLite and its allocator, once in a process. Must come before anything else uses SQLite; false,
  // now and ever after, when it came too late. Thread-safe.
  static bool Install();

  // `may_go_on` is asked often, and every time where `stack` does not hold. It must not use SQLite. `memory`, if there
  // is one, is told of the bytes in use; when it has no room for more, an allocation fails.
  SqliteBudget(int64_t max_bytes, StackBound stack, std::function<bool()> may_go_on,
               fairness::MemoryBudget::Reservation* memory = nullptr);
  SqliteBudget(const SqliteBudget&) = delete;
  SqliteBudget& operator=(const SqliteBudget&) = delete;
  ~SqliteBudget();

  int64_t used() const { return used_; }
  // The most that was in use at a time.
  int64_t peak() const { return peak_; }
  // Whether an allocation failed because of the bound.
  bool exhausted() const { return exhausted_; }

  // While it lives, what this thread allocates counts against nobody: for another database that is read meanwhile.
  class Pause {
   public:
    Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause();

   private:
    SqliteBudget* const paused_;
  };

  // For the allocator only.
  bool Admit(int64_t bytes);
  void Count(int64_t bytes);

 private:
  const int64_t max_bytes_;
  const StackBound stack_;
  const std::function<bool()> may_go_on_;
  fairness::MemoryBudget::Reservation* const memory_;
  int64_t used_ = 0;
  int64_t peak_ = 0;
  uint32_t admitted_ = 0;
  bool exhausted_ = false;
};

}  // namespace toolgate::sqlite

#endif  // TOOLGATE_COMMON_SQLITE_SQLITE_BUDGET_H_
