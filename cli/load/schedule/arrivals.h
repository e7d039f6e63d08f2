// Intended start times of the calls of one thread.
#ifndef TOOLGATE_CLI_LOAD_SCHEDULE_ARRIVALS_H_
#define TOOLGATE_CLI_LOAD_SCHEDULE_ARRIVALS_H_

#include <cstdint>
#include <optional>

#include "cli/load/schedule/random.h"
#include "cli/load/schedule/schedule.h"

namespace toolgate::cli::load::schedule {

enum class Pattern {
  kEven,     // Equal distances at a constant rate.
  kPoisson,  // Independent calls, as of many users who do not know each other.
};

// Every `stride`-th call of a schedule, beginning with call `offset`, so that the threads of a run divide it. Not
// thread-safe.
class Arrivals {
 public:
  Arrivals(Schedule schedule, Pattern pattern, uint64_t seed, int stride, int offset);

  // Time of the next call in nanoseconds since the start of the run, in ascending order; nothing after the last.
  std::optional<int64_t> Next();

 private:
  const Schedule schedule_;
  const Pattern pattern_;
  const double stride_;
  Random random_;
  double calls_;
};

}  // namespace toolgate::cli::load::schedule

#endif  // TOOLGATE_CLI_LOAD_SCHEDULE_ARRIVALS_H_
