#include "cli/load/live_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>

#include "tests/support/fake_clock.h"

namespace toolgate::cli::load {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kClear[] = "\r\x1b[K";

class LiveLineTest : public ::testing::Test {
 protected:
  // `calls` calls of 10 ms each, of which `errors` failed, in half a second.
  static stats::Interval Piece(double begin, int calls, int errors = 0, int64_t in_flight = 16) {
    stats::Interval piece;
    piece.begin = begin;
    piece.end = begin + 0.5;
    piece.in_flight = in_flight;
    for (int i = 0; i < calls; ++i) {
      stats::Result result;
      result.ended = 10'000'000;
      result.expected = i >= errors;
      result.outcome = {stats::OutcomeKind::kRefused, "RATE_LIMITED", "RESOURCE_EXHAUSTED"};
      piece.Add(result);
    }
    return piece;
  }
  // Everything written since the last call.
  std::string Written() {
    std::string text = err_.str();
    err_.str("");
    return text;
  }

  std::istringstream in_;
  std::ostringstream out_, err_;
  const testing::FakeClock clock_;
  Terminal terminal_{in_, out_, err_, false, false, /*err_is_terminal=*/true, 120, nullptr, clock_};
};

TEST_F(LiveLineTest, ShowsPhaseTimeRateLatencyCallsInFlightAndErrors) {
  LiveLine line(terminal_, true);
  line.Add(Piece(0, 200));
  line.Draw({.now = 0.5, .end = 35, .warm_up = true});
  EXPECT_EQ(Written(),
            std::string(kClear) + "warming up  0/35 s  400/s  p50 10.0 ms  p99 10.0 ms  in flight 16  errors 0");
  line.Add(Piece(0.5, 100, 3, 7));
  line.Draw({.now = 1.0, .end = 35});
  EXPECT_EQ(Written(),
            std::string(kClear) + "measuring  1/35 s  200/s  p50 10.0 ms  p99 10.0 ms  in flight 7  errors 3");
  line.Add(Piece(1.0, 50, 1));
  line.Draw({.now = 1.5, .end = 35, .stopped = true});
  EXPECT_THAT(Written(), AllOf(StartsWith(std::string(kClear) + "ending  1/35 s  100/s"), HasSubstr("errors 4")));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(LiveLineTest, TheRateIsThatOfTheTimeThatWasCounted) {
  LiveLine line(terminal_, true);
  line.Add(Piece(0, 100));
  line.Draw({.now = 0.9});
  EXPECT_THAT(Written(), HasSubstr("measuring  0 s  200/s")) << "counted until 0.5 s";
  line.Draw({.now = 5});
  EXPECT_EQ(Written(), "") << "nothing new was counted";
  line.Add(Piece(0.5, 0, 0, 3));
  line.Draw({.now = 6});
  EXPECT_THAT(Written(), HasSubstr("measuring  6 s  0/s  p50 0")) << "that nothing ends is news";
}

TEST_F(LiveLineTest, IsDrawnTwiceASecondAtMost) {
  LiveLine line(terminal_, true);
  line.Add(Piece(0, 1));
  line.Draw({.now = 0.4});
  EXPECT_EQ(Written(), "");
  line.Draw({.now = 0.5});
  EXPECT_NE(Written(), "");
  line.Add(Piece(0.5, 1));
  line.Draw({.now = 0.9});
  EXPECT_EQ(Written(), "");
  line.Add(Piece(1.0, 1));
  line.Draw({.now = 1.1});
  EXPECT_THAT(Written(), HasSubstr("  2.00/s")) << "two calls in one second";
}

TEST_F(LiveLineTest, FitsTheTerminal) {
  terminal_.width = 30;
  LiveLine line(terminal_, true);
  line.Add(Piece(0, 200));
  line.Draw({.now = 0.5, .end = 35});
  const std::string written = Written();
  EXPECT_THAT(written, StartsWith(std::string(kClear) + "measuring  0/35 s"));
  EXPECT_THAT(written, Not(HasSubstr("errors")));
}

TEST_F(LiveLineTest, IsTakenAwayAtTheEnd) {
  {
    LiveLine line(terminal_, true);
    line.Add(Piece(0, 1));
    line.Draw({.now = 0.5});
    Written();
  }
  EXPECT_EQ(Written(), kClear);
}

TEST_F(LiveLineTest, IsNotShownElsewhere) {
  const auto draw = [&](bool wanted) {
    LiveLine line(terminal_, wanted);
    line.Add(Piece(0, 1));
    line.Draw({.now = 1});
  };
  draw(false);
  EXPECT_EQ(Written(), "");
  terminal_.err_is_terminal = false;
  draw(true);
  EXPECT_EQ(Written(), "");
}

}  // namespace
}  // namespace toolgate::cli::load
