#include "coordination/signals/local_signals.h"

#include <optional>

#include "common/fibers/event.h"
#include "gtest/gtest.h"

namespace toolgate::coordination::signals {
namespace {

TEST(LocalSignalsTest, ASignalSetsTheEventsOfItsSubject) {
  LocalSignals signals;
  fibers::Event first;
  fibers::Event second;
  fibers::Event other;
  const Subscription to_first(signals, "a", first);
  const Subscription to_second(signals, "a", second);
  const Subscription to_other(signals, "b", other);
  signals.Send("a");
  EXPECT_TRUE(first.IsSet());
  EXPECT_TRUE(second.IsSet());
  EXPECT_FALSE(other.IsSet());
}

TEST(LocalSignalsTest, AnEndedSubscriptionHearsNothing) {
  LocalSignals signals;
  fibers::Event ended;
  fibers::Event stays;
  std::optional<Subscription> subscription(std::in_place, signals, "a", ended);
  const Subscription other(signals, "a", stays);
  subscription.reset();
  signals.Send("a");
  EXPECT_FALSE(ended.IsSet());
  EXPECT_TRUE(stays.IsSet());
}

}  // namespace
}  // namespace toolgate::coordination::signals
