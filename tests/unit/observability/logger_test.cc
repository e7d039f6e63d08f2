#include "observability/logger.h"

#include <unistd.h>

#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "common/json.h"
#include "gtest/gtest.h"
#include "observability/log_escape.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_sink.h"

namespace toolgate::observability {
namespace {

using toolgate::testing::MemorySink;

class LoggerTest : public ::testing::Test {
 protected:
  toolgate::testing::FakeClock clock_;
  MemorySink sink_;
  Logger json_{sink_, clock_, LogLevel::kInfo, LogFormat::kJson};
  Logger text_{sink_, clock_, LogLevel::kInfo, LogFormat::kText};
};

TEST_F(LoggerTest, WritesOneJsonObjectALine) {
  clock_.Advance(absl::Microseconds(1234567));
  json_.Info("listening", {{"address", std::string("127.0.0.1:1")},
                           {"workers", 8},
                           {"bytes", size_t{9000000000}},
                           {"ratio", 0.5},
                           {"ready", true},
                           {"took", absl::Milliseconds(1500)}});
  EXPECT_EQ(
      sink_.lines().back(),
      "{\"time\":\"2026-03-02T09:00:01.234567Z\",\"level\":\"info\",\"message\":\"listening\","
      "\"address\":\"127.0.0.1:1\",\"workers\":8,\"bytes\":9000000000,\"ratio\":0.5,\"ready\":true,\"took\":1.5}\n");
}

TEST_F(LoggerTest, WritesTextForPeople) {
  text_.Warning("disk is nearly full", {{"path", "/data"}, {"note", "two words"}, {"free", -1}});
  EXPECT_EQ(sink_.lines().back(),
            "2026-03-02T09:00:00.000000Z WARNING disk is nearly full path=/data note=\"two words\" free=-1\n");
}

TEST_F(LoggerTest, SkipsWhatIsBelowItsLevel) {
  json_.Debug("hidden");
  EXPECT_TRUE(sink_.lines().empty());
  EXPECT_FALSE(json_.enabled(LogLevel::kDebug));
  json_.set_level(LogLevel::kDebug);
  json_.Debug("shown");
  EXPECT_EQ(sink_.lines().size(), 1u);
}

TEST_F(LoggerTest, ALineThatRepeatsIsWrittenOnceInEachIntervalWithANumber) {
  json_.set_repeats({.max_lines = 2, .interval = absl::Seconds(10)});
  const auto refuse = [&](std::string_view reason, int times) {
    for (int i = 0; i < times; ++i) json_.Info("refused", {LogField::Key("reason", reason), {"call_id", i}});
  };
  refuse("a", 100);
  refuse("b", 1);
  EXPECT_EQ(sink_.lines().size(), 3u);
  clock_.Advance(absl::Seconds(10));
  refuse("a", 100);
  ASSERT_EQ(sink_.lines().size(), 4u);
  EXPECT_EQ(sink_.Last()["repeated"], 98);
  EXPECT_EQ(sink_.Last()["call_id"], 0);
  EXPECT_EQ(json_.written(LogLevel::kInfo), 4u);
  EXPECT_EQ(json_.left_out(LogLevel::kInfo), 197u);
}

TEST_F(LoggerTest, WhatWasLeftOutIsToldWhenTheLineRepeatsNoMore) {
  json_.set_repeats({.max_lines = 2, .interval = absl::Seconds(10)});
  for (int i = 0; i < 7; ++i) json_.Error("failed", {LogField::Key("error", "disk full"), {"entries", i}});
  json_.WriteLeftOut(Logger::LeftOutOf::kEnded);
  EXPECT_EQ(sink_.lines().size(), 2u);
  clock_.Advance(absl::Seconds(20));
  json_.WriteLeftOut(Logger::LeftOutOf::kEnded);
  EXPECT_EQ(sink_.lines().back(),
            "{\"time\":\"2026-03-02T09:00:20.000000Z\",\"level\":\"error\",\"message\":\"failed\","
            "\"error\":\"disk full\",\"repeated\":5}\n");
}

TEST_F(LoggerTest, WhatWasLeftOutIsToldAtTheEnd) {
  {
    Logger logger(sink_, clock_, LogLevel::kInfo, LogFormat::kText, {.max_lines = 1, .interval = absl::Hours(1)});
    for (int i = 0; i < 3; ++i) logger.Info("refused");
  }
  EXPECT_EQ(sink_.lines().back(), "2026-03-02T09:00:00.000000Z INFO    refused repeated=2\n");
}

TEST_F(LoggerTest, TheFormatCanChange) {
  json_.set_format(LogFormat::kText);
  json_.Info("now for people");
  EXPECT_EQ(sink_.lines().back(), "2026-03-02T09:00:00.000000Z INFO    now for people\n");
}

TEST_F(LoggerTest, LeavesOutFieldsWithAnEmptyText) {
  json_.Info("a", {{"empty", ""}, {"zero", 0}});
  EXPECT_FALSE(sink_.Last().contains("empty"));
  EXPECT_TRUE(sink_.Last().contains("zero"));
}

TEST_F(LoggerTest, HostileValuesStayOneValidLine) {
  struct Case {
    std::string_view name;
    std::string value;
    std::string escaped;
  };
  const Case cases[] = {
      {"line breaks", "a\r\nb", "a\\r\\nb"},
      {"quotes", "\"}\\", "\\\"}\\\\"},
      {"terminal escape", "\x1b[2J", "\\u001b[2J"},
      {"NUL", std::string("a\0b", 3), "a\\u0000b"},
      {"delete", "\x7f", "\\u007f"},
      {"C1 control", "\xc2\x9b", "\\u009b"},
      {"line separator", "\xe2\x80\xa8", "\\u2028"},
      {"bidi override", "\xe2\x80\xae", "\\u202e"},
      {"bidi isolate", "\xe2\x81\xa6", "\\u2066"},
      {"byte order mark", "\xef\xbb\xbf", "\\ufeff"},
      {"accents stay", "\xc3\xa9", "\xc3\xa9"},
      {"emoji stay", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
      {"lone continuation byte", "a\x80", "a\xef\xbf\xbd"},
      {"overlong form", "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
      {"surrogate", "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
      {"beyond Unicode", "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
      {"cut short", "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
  };
  for (const Case& test : cases) {
    json_.Info(test.value, {{"value", test.value}});
    const std::string line = sink_.lines().back();
    EXPECT_NE(line.find("\"value\":\"" + test.escaped + "\"}"), std::string::npos) << test.name << ": " << line;
    EXPECT_EQ(line.find('\n'), line.size() - 1) << test.name;
    EXPECT_TRUE(ParseJson(line).ok()) << test.name;
    text_.Info(test.value, {{"value", test.value}});
    EXPECT_EQ(sink_.lines().back().find('\n'), sink_.lines().back().size() - 1) << test.name;
  }
}

TEST_F(LoggerTest, NumbersThatJsonHasNoWordForBecomeText) {
  json_.Info("a",
             {{"nan", std::numeric_limits<double>::quiet_NaN()}, {"inf", -std::numeric_limits<double>::infinity()}});
  EXPECT_EQ(sink_.Last()["nan"], "NaN");
  EXPECT_EQ(sink_.Last()["inf"], "-Infinity");
}

TEST_F(LoggerTest, ALineIsBoundedAndStaysValid) {
  const std::string big(100'000, 'x');
  const std::string hostile(100'000, '\x01');
  json_.Info(hostile, {{"a", hostile}, {"b", big}, {"c", big}, {"d", big}, {"e", big}, {"last", 1}});
  const std::string line = sink_.lines().back();
  EXPECT_LE(line.size(), Logger::kMaxLineBytes);
  const Json event = ParseJson(line).value();
  EXPECT_EQ(event["truncated"], true);
  EXPECT_EQ(event["last"], 1);
  EXPECT_FALSE(event.contains("e"));
}

TEST_F(LoggerTest, AValueIsCutBetweenCharacters) {
  std::string value;
  for (int i = 0; i < 3000; ++i) value += "\xc3\xa9";
  json_.Info("a", {{"value", "x" + value}});
  const std::string cut = sink_.Last()["value"];
  EXPECT_LE(cut.size(), Logger::kMaxValueBytes + 3);
  EXPECT_TRUE(cut.ends_with("\xc3\xa9\xe2\x80\xa6"));
}

TEST_F(LoggerTest, LinesOfThreadsNeverMix) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  std::string read_back;
  std::thread reader([&] {
    char buffer[4096];
    for (ssize_t got; (got = read(pipe_ends[0], buffer, sizeof(buffer))) > 0;) {
      read_back.append(buffer, static_cast<size_t>(got));
    }
  });
  FdLogSink sink(pipe_ends[1]);
  EXPECT_FALSE(sink.is_terminal());
  Logger logger(sink, clock_, LogLevel::kInfo, LogFormat::kJson);
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&] {
      const std::string long_value(3000, 'v');
      for (int round = 0; round < 100; ++round) logger.Info("m", {{"a", long_value}, {"b", long_value}});
    });
  }
  for (std::thread& writer : writers) writer.join();
  close(pipe_ends[1]);
  reader.join();
  close(pipe_ends[0]);
  const std::vector<std::string> lines = absl::StrSplit(read_back, '\n', absl::SkipEmpty());
  EXPECT_EQ(lines.size(), 800u);
  for (const std::string& line : lines) ASSERT_TRUE(ParseJson(line).ok()) << line;
}

TEST(LogLevelTest, NamesGoBothWays) {
  for (const LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    EXPECT_EQ(LogLevelFromName(LogLevelName(level)), level);
  }
  EXPECT_EQ(LogLevelFromName("INFO"), std::nullopt);
}

}  // namespace
}  // namespace toolgate::observability
