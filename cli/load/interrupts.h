// Ctrl-C while a load test runs.
#ifndef TOOLGATE_CLI_LOAD_INTERRUPTS_H_
#define TOOLGATE_CLI_LOAD_INTERRUPTS_H_

#include <csignal>

namespace toolgate::cli::load {

// Counts SIGINT and SIGTERM as long as it lives, instead of ending the process. At most one exists at a time.
class Interrupts {
 public:
  Interrupts();
  // Restores the former handlers.
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Signals so far. Thread-safe.
  static int count();

 private:
  struct sigaction former_int_ = {};
  struct sigaction former_term_ = {};
};

}  // namespace toolgate::cli::load

#endif  // TOOLGATE_CLI_LOAD_INTERRUPTS_H_
