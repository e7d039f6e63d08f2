#include "common/http/event_stream.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::http {
namespace {

using ::testing::ElementsAre;

// "type=data" of each event of a stream that comes in pieces of `piece` bytes.
std::vector<std::string> EventsOf(std::string_view stream, size_t piece) {
  EventStreamParser parser;
  std::vector<std::string> texts;
  for (size_t at = 0; at < stream.size(); at += piece) {
    const auto events = parser.Feed(stream.substr(at, piece));
    EXPECT_TRUE(events.ok()) << events.status();
    if (!events.ok()) break;
    for (const ServerEvent& event : *events) texts.push_back(absl::StrCat(event.type, "=", event.data));
  }
  return texts;
}

struct StreamCase {
  const char* name;
  std::string stream;
  std::vector<std::string> events;
};

class EventStreamParserTest : public ::testing::TestWithParam<StreamCase> {};

TEST_P(EventStreamParserTest, FindsTheSameEventsHoweverTheStreamIsCut) {
  const StreamCase& test = GetParam();
  for (size_t piece = 1; piece <= std::max<size_t>(test.stream.size(), 1); ++piece) {
    EXPECT_EQ(EventsOf(test.stream, piece), test.events) << "in pieces of " << piece;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Streams, EventStreamParserTest,
    ::testing::Values(StreamCase{"Nothing", "", {}}, StreamCase{"OneLine", "data: a\n\n", {"message=a"}},
                      StreamCase{"NoSpaceBehindTheColon", "data:a\n\n", {"message=a"}},
                      StreamCase{"OnlyOneSpaceIsTaken", "data:  a\n\n", {"message= a"}},
                      StreamCase{"SeveralLines", "data: a\ndata\ndata: b\n\n", {"message=a\n\nb"}},
                      StreamCase{"CarriageReturns", "data: a\r\rdata: b\r\r", {"message=a", "message=b"}},
                      StreamCase{"BothLineEnds", "data: a\r\ndata: b\r\n\r\n", {"message=a\nb"}},
                      StreamCase{"MixedLineEnds", "data: a\r\n\ndata: b\n\r\n", {"message=a", "message=b"}},
                      StreamCase{"Types", "event: delta\ndata: 1\n\ndata: 2\n\n", {"delta=1", "message=2"}},
                      StreamCase{
                          "CommentsAndKeepAlives", ": hi\n\n:\n\ndata: a\n: in between\ndata: b\n\n", {"message=a\nb"}},
                      StreamCase{"TypeWithoutData", "event: ping\n\ndata: a\n\n", {"message=a"}},
                      StreamCase{"EmptyData", "data\n\n", {"message="}},
                      StreamCase{"OtherFields", "id: 7\nretry: 100\nunknown: x\ndata: a\n\n", {"message=a"}},
                      StreamCase{"ByteOrderMark",
                                 "\xEF\xBB\xBF"
                                 "data: a\n\n",
                                 {"message=a"}},
                      StreamCase{"ByteOrderMarkLaterOn",
                                 "data: a\n\n\xEF\xBB\xBF"
                                 "data: b\n\n",
                                 {"message=a"}},
                      StreamCase{"CutOff", "data: a\n\ndata: b\n", {"message=a"}},
                      StreamCase{"ColonsInData", "data: {\"a\":1}\n\n", {"message={\"a\":1}"}}),
    [](const auto& row) { return row.param.name; });

TEST(EventStreamBoundTest, RefusesAnEventThatExceedsTheLimit) {
  EventStreamParser parser(/*max_event_bytes=*/16);
  EXPECT_EQ(parser.Feed(absl::StrCat("data: ", std::string(16, 'x'))).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(EventStreamBoundTest, RefusesManyShortLinesOfOneEvent) {
  EventStreamParser parser(/*max_event_bytes=*/64);
  absl::Status status;
  for (int i = 0; i < 64 && status.ok(); ++i) status = parser.Feed("data: x\n").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
}

TEST(EventStreamBoundTest, BoundsEachEventByItself) {
  EventStreamParser parser(/*max_event_bytes=*/16);
  for (int i = 0; i < 100; ++i) {
    const auto events = parser.Feed("data: 12345678\n\n");
    ASSERT_TRUE(events.ok()) << events.status();
    ASSERT_EQ(events->size(), 1u);
  }
}

TEST(EventStreamParserTest, HasTheEventThatTheStreamEndedIn) {
  for (const char* stream : {"data: a\n\ndata: b", "data: a\n\ndata: b\n", "data: a\n\nevent: message\ndata: b\n"}) {
    EventStreamParser parser;
    ASSERT_EQ(parser.Feed(stream)->size(), 1u) << stream;
    const auto rest = parser.Rest();
    ASSERT_TRUE(rest.has_value()) << stream;
    EXPECT_EQ(rest->data, "b");
    EXPECT_FALSE(parser.Rest().has_value());
  }
  EventStreamParser whole;
  ASSERT_TRUE(whole.Feed("data: a\n\n: comment").ok());
  EXPECT_FALSE(whole.Rest().has_value());
}

}  // namespace
}  // namespace toolgate::http
