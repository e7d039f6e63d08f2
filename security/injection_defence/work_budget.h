// The bound on the work that a text may cause.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_WORK_BUDGET_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_WORK_BUDGET_H_

#include <algorithm>
#include <cstddef>

namespace toolgate::security::injection_defence {

// The readings that a text is worth.
enum class Effort {
  kAllReadings,
  kAsWritten,  // Only as it stands, folded, and with its look-alikes; that is a finding (kTooMuchWork).
};

// Counted in steps: a quarter of a scan of one byte by the rules and models. Never in time, so that a text has the same
// findings on every machine. A window's own readings are always made, at most some sixty steps a byte; what is spent
// here is the work of the texts that are made of it. Used by one thread.
class WorkBudget {
 public:
  // Honest pages, full of tags and escapes, take some twenty; garbage that no reading makes sense of over a thousand.
  static constexpr size_t kStepsPerByte = 64;
  // A shorter window has as much as one of this size: more than all readings of a few sentences together can take.
  static constexpr size_t kShortBytes = size_t{8} << 10;

  explicit WorkBudget(size_t window_bytes) : steps_(kStepsPerByte * std::max(window_bytes, kShortBytes)) {}

  // False, with nothing spent, if fewer are left.
  bool Spend(size_t steps) {
    if (steps > steps_) {
      ran_out_ = true;
      return false;
    }
    steps_ -= steps;
    return true;
  }

  // Notes that something is not read for a reason of its own.
  void RunOut() { ran_out_ = true; }

  size_t left() const { return steps_; }
  // Something was not read.
  bool ran_out() const { return ran_out_; }

 private:
  size_t steps_;
  bool ran_out_ = false;
};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_WORK_BUDGET_H_
