#include "services/http/event_stream.h"

#include "gtest/gtest.h"

namespace toolgate::services::http {
namespace {

TEST(EventStreamTest, WritesEventsAsBrowsersReadThem) {
  EXPECT_EQ(FormatEvent({"started", "{}"}), "event: started\ndata: {}\n\n");
  EXPECT_EQ(FormatEvent({"", "[DONE]"}), "data: [DONE]\n\n");
}

}  // namespace
}  // namespace toolgate::services::http
