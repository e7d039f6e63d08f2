#include "services/grpc/wire_count.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/struct.pb.h>

#include <string>
#include <string_view>

#include "common/proto_bytes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "toolgate/v1/chat_service.pb.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::grpc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<WireCounts> Count(std::string_view bytes, const google::protobuf::Message& type = v1::ExecuteRequest(),
                                 const JsonLimits& limits = {}) {
  // In pieces, as gRPC may have it.
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()), /*block_size=*/7);
  return CountWire(stream, *type.GetDescriptor(), limits);
}

std::string ExecuteWith(std::string_view arguments) {
  v1::ExecuteRequest request;
  request.set_tool_id("create_block");
  EXPECT_TRUE(JsonToProto(arguments, {}, *request.mutable_arguments()).ok());
  return SerializeProto(request).value();
}

std::string Times(size_t count, std::string_view unit) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += unit;
  return text;
}

TEST(CountWireTest, CountsKeysValuesAndOtherParts) {
  const auto counts = Count(ExecuteWith(R"({"a":1,"b":{"c":[true,null,"x",{}]}})"));
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->keys, 3U);
  EXPECT_EQ(counts->values, 7U);
  EXPECT_EQ(counts->parts, 4U) << "three objects and a list";
}

TEST(CountWireTest, NamesTheBoundAndThePlace) {
  const std::string call = ExecuteWith(R"({"a":[[1,2,3]]})");
  EXPECT_TRUE(Count(call, v1::ExecuteRequest(), {.max_depth = 3, .max_keys = 1, .max_values = 5}).ok());
  EXPECT_THAT(Count(call, v1::ExecuteRequest(), {.max_values = 4}).status().message(),
              HasSubstr("more than 4 values, at byte "));
  EXPECT_THAT(Count(call, v1::ExecuteRequest(), {.max_keys = 0}).status().message(),
              HasSubstr("more than 0 keys, at byte "));
  EXPECT_THAT(Count(call, v1::ExecuteRequest(), {.max_depth = 2}).status().message(),
              HasSubstr("more than 2 levels, at byte "));
}

TEST(CountWireTest, CountsEverythingThatProtobufAllocatesFor) {
  const struct {
    std::string name;
    std::string unit;
    const google::protobuf::Message& type;
  } rows[] = {
      {"empty messages of a list", std::string("\x32\x00", 2), v1::ChatRequest::default_instance()},
      {"empty texts of a list", std::string("\x12\x00", 2), v1::ListToolsRequest::default_instance()},
      {"unknown numbers", std::string("\xF8\x01\x00", 3), v1::ExecuteRequest::default_instance()},
      {"unknown texts", std::string("\xFA\x01\x00", 3), v1::ExecuteRequest::default_instance()},
      {"unknown fixed numbers", std::string("\xFD\x01zzzz", 6), v1::ExecuteRequest::default_instance()},
      {"unknown groups", std::string("\xFB\x01\xFC\x01", 4), v1::ExecuteRequest::default_instance()},
      {"a text's field as a number", std::string("\x08\x00", 2), v1::ExecuteRequest::default_instance()},
      {"a message's field as a number", std::string("\x20\x00", 2), v1::ExecuteRequest::default_instance()},
      {"a number's field as a text", std::string("\x42\x00", 2), v1::ExecuteRequest::default_instance()},
  };
  for (const auto& row : rows) {
    const std::string bytes = Times(101, row.unit);
    EXPECT_THAT(Count(bytes, row.type, {.max_values = 100}).status().message(), HasSubstr("more than 100")) << row.name;
    EXPECT_TRUE(Count(bytes, row.type, {.max_values = 101}).ok()) << row.name;
  }
}

TEST(CountWireTest, CountsNothingForSingleFields) {
  v1::ExecuteRequest request;
  request.set_tool_id("x");
  request.set_arguments_json(std::string(100'000, 'x'));
  request.set_dry_run(true);
  const auto counts = Count(SerializeProto(request).value(), request, {.max_keys = 0, .max_values = 0});
  EXPECT_TRUE(counts.ok()) << counts.status();
}

// Nothing that the count passes over unseen may be built.
TEST(CountWireTest, ReadsEverythingThatTheParserReads) {
  const struct {
    std::string name;
    std::string bytes;
  } rows[] = {
      {"cut off in a length", "\x1A"},
      {"a length beyond the end", std::string("\x1A\x05\x0A", 3)},
      {"a length beyond its message", std::string("\x1A\x02\x0A\x7F", 4)},
      {"an end without a group", "\x0C"},
      {"a group without an end", "\x0B"},
      {"another group's end", "\x0B\x14"},
      {"field number 0", std::string("\x02\x00", 2)},
      {"tag 0", std::string("\x00", 1)},
      {"wire type 6", "\x0E"},
      {"wire type 7", "\x0F"},
      {"a length of 4 GiB", "\x1A\xFF\xFF\xFF\xFF\x0F"},
  };
  for (const auto& row : rows) {
    v1::ExecuteRequest parsed;
    EXPECT_FALSE(ParseProto(row.bytes, parsed).ok()) << row.name;
    EXPECT_EQ(Count(row.bytes).status().message(), "not well-formed") << row.name;
  }
}

TEST(CountWireTest, EndsWhereTheParserGivesUpOnDepth) {
  const std::string groups = Times(5000, "\x0B") + Times(5000, "\x0C");
  v1::ExecuteRequest parsed;
  EXPECT_FALSE(ParseProto(groups, parsed).ok());
  EXPECT_THAT(Count(groups).status().message(), HasSubstr("more than 100 messages in one another"));
}

TEST(CountWireTest, ACostIsThatOfObjects) {
  EXPECT_FALSE(MayExceedParts(10'000, {.max_keys = 10'000, .max_values = 10'000}));
  EXPECT_TRUE(MayExceedParts(20'000, {.max_keys = 10'000, .max_values = 100'000}));
  EXPECT_GT(CostOfMessage(1000, {.keys = 10, .values = 10, .parts = 10}), 4000);
}

}  // namespace
}  // namespace toolgate::services::grpc
