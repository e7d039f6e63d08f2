// Progress of a load test on a terminal.
#ifndef TOOLGATE_CLI_LOAD_LIVE_LINE_H_
#define TOOLGATE_CLI_LOAD_LIVE_LINE_H_

#include <cstdint>

#include "cli/load/stats/tally.h"
#include "cli/terminal.h"

namespace toolgate::cli::load {

// One line on the standard error, redrawn at most twice a second while the calls run, and taken away at the end;
// nothing if that is not a terminal. Not thread-safe.
class LiveLine {
 public:
  // The longest piece of a run that Add should be given, in seconds, so that the line is never older.
  static constexpr double kLongestPiece = 0.5;

  // State of the run beside its counts.
  struct Moment {
    double now = 0;  // Seconds since the start.
    double end = 0;  // Planned end in seconds; 0: unknown.
    bool warm_up = false;
    bool stopped = false;  // No call starts any more.
  };

  LiveLine(const Terminal& terminal, bool wanted);
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // Takes the counts of the time since the last piece.
  void Add(const stats::Interval& piece);
  // Draws the counts since the line was last drawn, if there are any and it is time.
  void Draw(const Moment& moment);

 private:
  const Terminal& terminal_;
  const bool shown_;
  stats::Interval undrawn_;
  double undrawn_seconds_ = 0;
  int64_t in_flight_ = 0;
  int64_t errors_ = 0;
  double drawn_at_ = 0;
};

}  // namespace toolgate::cli::load

#endif  // TOOLGATE_CLI_LOAD_LIVE_LINE_H_
