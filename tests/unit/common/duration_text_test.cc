#include "common/duration_text.h"

#include <optional>
#include <string_view>

#include "gtest/gtest.h"

namespace toolgate {
namespace {

TEST(DurationTextTest, ReadsWhatPeopleWrite) {
  struct Case {
    std::string_view text;
    absl::Duration duration;
  };
  const Case cases[] = {
      {"0s", absl::ZeroDuration()},
      {"90s", absl::Seconds(90)},
      {"1h30m", absl::Minutes(90)},
      {"250ms", absl::Milliseconds(250)},
      {"24h", absl::Hours(24)},
      {"7d", absl::Hours(7 * 24)},
      {"1d1h1m1s1ms1us1ns", absl::Hours(25) + absl::Minutes(1) + absl::Seconds(1) + absl::Nanoseconds(1001001)},
      {"1.5h", absl::Minutes(90)},
      {"0.25s", absl::Milliseconds(250)},
      {"-5s", absl::Seconds(-5)},
      {"315576000000s", absl::Seconds(315576000000)},
  };
  for (const Case& test : cases) EXPECT_EQ(ParseDurationText(test.text), test.duration) << test.text;
}

TEST(DurationTextTest, RefusesWhatIsUnclear) {
  for (const std::string_view text : {"",
                                      "-",
                                      "5",
                                      "s",
                                      "5 s",
                                      "1m 30s",
                                      "30s1m",
                                      "1s1s",
                                      "1.s",
                                      ".5s",
                                      "1e3s",
                                      "5S",
                                      "5sec",
                                      "+5s",
                                      "--5s",
                                      "5s-1s",
                                      "1,5s",
                                      "inf",
                                      "315576000001s",
                                      "9999999999999999999s",
                                      "3652501d2000000000000h"}) {
    EXPECT_EQ(ParseDurationText(text), std::nullopt) << text;
  }
}

TEST(DurationTextTest, WritesWhatItReads) {
  for (const std::string_view text : {"0s", "1s", "1m30s", "1h30m", "250ms", "7d", "1d1ns", "-1h1s", "20ms"}) {
    EXPECT_EQ(DurationText(*ParseDurationText(text)), text);
  }
  EXPECT_EQ(DurationText(absl::Seconds(90)), "1m30s");
}

}  // namespace
}  // namespace toolgate
