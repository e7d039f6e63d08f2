#include "cli/load/interrupts.h"

#include <gtest/gtest.h>

#include <csignal>

namespace toolgate::cli::load {
namespace {

TEST(InterruptsTest, CountsSignalsAndRestoresTheirHandlers) {
  static volatile std::sig_atomic_t own = 0;
  std::signal(SIGINT, [](int) { own = own + 1; });
  {
    const Interrupts interrupts;
    EXPECT_EQ(Interrupts::count(), 0);
    std::raise(SIGINT);
    std::raise(SIGTERM);
    EXPECT_EQ(Interrupts::count(), 2);
    EXPECT_EQ(own, 0);
  }
  std::raise(SIGINT);
  EXPECT_EQ(own, 1);
  const Interrupts again;
  EXPECT_EQ(Interrupts::count(), 0);
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace
}  // namespace toolgate::cli::load
