// Progress display for long tasks.
#ifndef TOOLGATE_CLI_PROGRESS_BAR_H_
#define TOOLGATE_CLI_PROGRESS_BAR_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "cli/terminal.h"

namespace toolgate::cli {

// One line on the standard error, redrawn at most ten times a second; nothing if that is not a terminal. Not
// thread-safe.
class ProgressBar {
 public:
  // `unit` is a plural such as "blocks"; "bytes" are shown as MiB.
  ProgressBar(const Terminal& terminal, bool wanted, std::string verb, std::string unit);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `done`: units so far. `fraction`: share of the whole, negative if unknown.
  void Update(int64_t done, double fraction);

  // The line to draw now.
  std::string Line(int64_t done, double fraction) const;

 private:
  std::string Amount(double amount) const;

  const Terminal& terminal_;
  const bool shown_;
  const std::string verb_;
  const std::string unit_;
  const absl::Duration start_;
  absl::Duration drawn_ = -absl::InfiniteDuration();
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_PROGRESS_BAR_H_
