#include "services/http/front_door.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::http {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Not;
using ::testing::Pair;

constexpr char kPage[] = "https://app.example.com";

FrontDoor Door() { return FrontDoor({{kPage}, false, {}}, {1000, 4000}); }

RequestHead HeadOf(std::string method, std::string path) {
  RequestHead head;
  head.method = std::move(method);
  head.path = std::move(path);
  head.hosts = {"localhost"};
  return head;
}

RequestHead Post(std::string path, std::string length = "2") {
  RequestHead head = HeadOf("POST", std::move(path));
  head.content_lengths = {std::move(length)};
  head.content_types = {"application/json; charset=utf-8"};
  return head;
}

using Change = std::function<void(RequestHead&)>;

TEST(FrontDoorTest, LetsGoodRequestsIn) {
  const struct {
    std::string name;
    RequestHead head;
    std::string_view label;
  } rows[] = {
      {"a call", Post("/v1/tools/get_block:execute"), "POST /v1/tools/{tool_id}:execute"},
      {"a call without a body", HeadOf("POST", "/v1/undo"), "POST /v1/undo"},
      {"a listing", HeadOf("GET", "/v1/tools"), "GET /v1/tools"},
      {"the head of a listing", HeadOf("HEAD", "/v1/tools"), "GET /v1/tools"},
      {"a change", HeadOf("PATCH", "/v1/instruction"), "PATCH /v1/instruction"},
  };
  for (const auto& row : rows) {
    const Admission admission = Door().Admit(row.head);
    EXPECT_FALSE(admission.answer.has_value()) << row.name;
    EXPECT_EQ(FrontDoor::Labels()[admission.label], row.label) << row.name;
  }
}

TEST(FrontDoorTest, RefusesTheRest) {
  const struct {
    std::string name;
    RequestHead head;
    Change change;
    int status;
  } rows[] = {
      {"an unknown path", HeadOf("GET", "/v2/tools"), nullptr, 404},
      {"a slash too many", HeadOf("GET", "/v1/tools/"), nullptr, 404},
      {"a path in other case", HeadOf("GET", "/V1/tools"), nullptr, 404},
      {"no tool", Post("/v1/tools/:execute"), nullptr, 404},
      {"a tool with a slash", Post("/v1/tools/a/b:execute"), nullptr, 404},
      {"a tool that is not UTF-8", Post("/v1/tools/%FF:execute"), nullptr, 404},
      {"GET of a call", HeadOf("GET", "/v1/tools/x:execute"), nullptr, 405},
      {"DELETE of a listing", HeadOf("DELETE", "/v1/tools"), nullptr, 405},
      {"a body for GET", HeadOf("GET", "/v1/tools"), [](RequestHead& head) { head.content_lengths = {"5"}; }, 400},
      {"a form", Post("/v1/undo"),
       [](RequestHead& head) { head.content_types = {"application/x-www-form-urlencoded"}; }, 415},
      {"plain text, which pages may send unasked", Post("/v1/undo"),
       [](RequestHead& head) { head.content_types = {"text/plain"}; }, 415},
      {"a body without a type", Post("/v1/undo"), [](RequestHead& head) { head.content_types.clear(); }, 415},
      {"a long body", Post("/v1/undo", "1001"), nullptr, 413},
      {"two lengths", Post("/v1/undo"),
       [](RequestHead& head) {
         head.content_lengths = {"2", "3"};
       },
       400},
      {"a length and chunks", Post("/v1/undo"), [](RequestHead& head) { head.transfer_encodings = {"chunked"}; }, 400},
      {"another transfer coding", Post("/v1/undo"),
       [](RequestHead& head) {
         head.content_lengths.clear();
         head.transfer_encodings = {"gzip, chunked"};
       },
       400},
      {"an encoded body", Post("/v1/undo"), [](RequestHead& head) { head.content_encodings = {"gzip"}; }, 415},
      {"a body encoded twice", Post("/v1/undo"),
       [](RequestHead& head) {
         head.content_encodings = {"identity", "br"};
       },
       415},
      {"a head that is not well-formed", Post("/v1/undo"), [](RequestHead& head) { head.is_plain = false; }, 400},
      {"two hosts", Post("/v1/undo"),
       [](RequestHead& head) {
         head.hosts = {"a", "b"};
       },
       400},
      {"long headers", Post("/v1/undo"), [](RequestHead& head) { head.header_bytes = 4001; }, 431},
      {"a foreign page", Post("/v1/undo"), [](RequestHead& head) { head.origins = {"https://evil.net"}; }, 403},
      {"a foreign page's preflight", HeadOf("OPTIONS", "/v1/undo"),
       [](RequestHead& head) {
         head.origins = {"https://evil.net"};
         head.preflighted = "POST";
       },
       403},
  };
  for (const auto& row : rows) {
    RequestHead head = row.head;
    if (row.change != nullptr) row.change(head);
    const Admission admission = Door().Admit(head);
    ASSERT_TRUE(admission.answer.has_value()) << row.name;
    EXPECT_EQ(admission.answer->status, row.status) << row.name;
    EXPECT_EQ((*ParseJson(admission.answer->body))["error"]["code"], row.status) << row.name;
    EXPECT_THAT(admission.answer->headers, Not(Contains(Pair("Access-Control-Allow-Origin", ::testing::_))))
        << row.name;
  }
}

// Before a body that nobody knows the end of, and not behind it.
TEST(FrontDoorTest, ClosesAtOnceWhereTheNextRequestCouldBeAnywhere) {
  const Change changes[] = {
      [](RequestHead& head) { head.is_plain = false; },
      [](RequestHead& head) { head.content_lengths.emplace_back("2"); },
      [](RequestHead& head) { head.transfer_encodings.emplace_back("chunked"); },
  };
  for (const Change& change : changes) {
    RequestHead head = Post("/v1/undo");
    change(head);
    const Admission admission = Door().Admit(head);
    ASSERT_TRUE(admission.answer.has_value());
    EXPECT_TRUE(admission.answer->at_once);
    EXPECT_THAT(admission.answer->headers, Contains(Pair("Connection", "close")));
  }
}

TEST(FrontDoorTest, NamesTheMethodsThatAPathTakes) {
  const Admission admission = Door().Admit(HeadOf("DELETE", "/v1/instruction"));
  EXPECT_THAT(admission.answer->headers, Contains(Pair("Allow", "GET, PATCH, HEAD, OPTIONS")));
  EXPECT_EQ(Door().Admit(HeadOf("OPTIONS", "/v1/undo")).answer->status, 204);
}

TEST(FrontDoorTest, AnswersThePreflightOfAListedPage) {
  RequestHead head = HeadOf("OPTIONS", "/v1/tools/x:execute");
  head.origins = {kPage};
  head.preflighted = "POST";
  head.asks_for_private_network = true;
  const Admission admission = Door().Admit(head);
  ASSERT_TRUE(admission.answer.has_value());
  EXPECT_EQ(admission.answer->status, 204);
  EXPECT_THAT(admission.answer->headers,
              AllOf(Contains(Pair("Access-Control-Allow-Origin", kPage)),
                    Contains(Pair("Access-Control-Allow-Methods", "POST")),
                    Contains(Pair("Access-Control-Allow-Private-Network", "true")), Contains(Pair("Vary", "Origin"))));
  EXPECT_THAT(admission.answer->headers, Each(Not(Pair("Access-Control-Allow-Credentials", ::testing::_))));
}

TEST(FrontDoorTest, LetsAListedPageReadRefusals) {
  RequestHead head = HeadOf("GET", "/nowhere");
  head.origins = {kPage};
  const Admission admission = Door().Admit(head);
  EXPECT_EQ(admission.answer->status, 404);
  EXPECT_THAT(admission.answer->headers, Contains(Pair("Access-Control-Allow-Origin", kPage)));
}

TEST(FrontDoorTest, TakesACallToItsStreamForAClientOfEvents) {
  RequestHead head = Post("/v1/tools/x:execute");
  head.accept = "application/json;q=0.1, text/event-stream";
  const Admission admission = Door().Admit(head);
  EXPECT_EQ(FrontDoor::Labels()[admission.label], "POST /v1/tools/{tool_id}:executeStream");
  EXPECT_EQ(admission.route.value, "x");
}

TEST(FrontDoorTest, TellsOfHealthWhateverTheOrigin) {
  FrontDoor door({{}, true, {}}, {1000, 4000});
  RequestHead live = HeadOf("GET", "/healthz");
  live.hosts = {"10.0.0.7:8080"};
  RequestHead ready = HeadOf("GET", "/readyz");
  EXPECT_EQ(door.Admit(live).answer->status, 200);
  EXPECT_EQ(door.Admit(ready).answer->status, 503);
  door.SetReady(true);
  EXPECT_EQ(door.Admit(ready).answer->status, 200);
  EXPECT_EQ(door.Admit(HeadOf("POST", "/readyz")).answer->status, 405);
  door.BeginDrain();
  EXPECT_EQ(door.Admit(ready).answer->status, 503);
  EXPECT_EQ(door.Admit(live).answer->status, 200);
}

TEST(FrontDoorTest, RefusesCallsWhileTheServiceStops) {
  FrontDoor door({{}, false, {}}, {1000, 4000});
  door.BeginDrain();
  EXPECT_EQ(door.Admit(Post("/v1/undo")).answer->status, 503);
}

TEST(FrontDoorTest, GivesEachRouteALabelOfItsOwn) {
  std::set<std::string> labels(FrontDoor::Labels().begin(), FrontDoor::Labels().end());
  EXPECT_EQ(labels.size(), Routes().size() + 2);
}

}  // namespace
}  // namespace toolgate::services::http
