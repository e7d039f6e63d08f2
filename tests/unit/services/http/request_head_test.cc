#include "services/http/request_head.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::services::http {
namespace {

security::Connection ConnectionWith(std::initializer_list<std::string> authorizations) {
  RequestHead head;
  for (const std::string& value : authorizations) head.Add("Authorization", value);
  return InboundOf(head).connection;
}

TEST(RequestHeadTest, TakesOneBearerToken) {
  EXPECT_EQ(ConnectionWith({"Bearer abc"}).bearer_token, "abc");
  EXPECT_EQ(ConnectionWith({"bearer abc"}).bearer_token, "abc");
  EXPECT_FALSE(ConnectionWith({}).unreadable_authorization);
}

TEST(RequestHeadTest, TakesNoOtherAuthorization) {
  for (const auto& connection : {ConnectionWith({"Basic abc"}), ConnectionWith({"Bearer "}), ConnectionWith({""}),
                                 ConnectionWith({"Bearer a", "Bearer a"})}) {
    EXPECT_TRUE(connection.unreadable_authorization);
    EXPECT_EQ(connection.bearer_token, "");
  }
}

TEST(RequestHeadTest, KnowsWhoWantsEvents) {
  const struct {
    std::string accept;
    bool events;
  } rows[] = {{"", false},
              {"*/*", false},
              {"application/json", false},
              {"text/event-stream", true},
              {"Text/Event-Stream; q=1", true},
              {"application/json, text/event-stream", true},
              {"text/event-streams", false}};
  for (const auto& row : rows) {
    RequestHead head;
    head.Add("ACCEPT", row.accept);
    EXPECT_EQ(head.WantsEvents(), row.events) << row.accept;
  }
}

TEST(RequestHeadTest, ContinuesTheClientsTrace) {
  RequestHead head;
  EXPECT_FALSE(ClientSpanOf(head).has_value());
  head.Add("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  head.Add("tracestate", "a=1");
  head.Add("Tracestate", "b=2");
  const auto span = ClientSpanOf(head);
  ASSERT_TRUE(span.has_value());
  EXPECT_EQ(span->TraceIdHex(), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(head.trace_state, "a=1,b=2");
  head.Add("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  EXPECT_FALSE(ClientSpanOf(head).has_value()) << "two parents are none";
}

}  // namespace
}  // namespace toolgate::services::http
