#include "cli/load/interrupts.h"

#include <atomic>

namespace toolgate::cli::load {
namespace {

std::atomic<int> signals{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not lock");

void CountSignal(int) { signals.fetch_add(1); }

}  // namespace

Interrupts::Interrupts() {
  signals = 0;
  struct sigaction action = {};
  action.sa_handler = CountSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &former_int_);
  sigaction(SIGTERM, &action, &former_term_);
}

Interrupts::~Interrupts() {
  sigaction(SIGINT, &former_int_, nullptr);
  sigaction(SIGTERM, &former_term_, nullptr);
}

int Interrupts::count() { return signals.load(); }

}  // namespace toolgate::cli::load
