#include "common/proto_bytes.h"

#include <cstdint>
#include <string>

#include "google/protobuf/duration.pb.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "gtest/gtest.h"

namespace toolgate {
namespace {

using google::protobuf::Any;
using google::protobuf::Duration;
using google::protobuf::MessageLite;
using google::protobuf::Struct;
using google::protobuf::Timestamp;

// Claims to be 3 GiB long.
class HugeMessage final : public MessageLite {
 public:
  std::string GetTypeName() const override { return "test.Huge"; }
  MessageLite* New(google::protobuf::Arena*) const override { return new HugeMessage(); }
  void Clear() override {}
  bool IsInitialized() const override { return true; }
  void CheckTypeAndMergeFrom(const MessageLite&) override {}
  size_t ByteSizeLong() const override { return size_t{3} << 30; }
  int GetCachedSize() const override { return 0; }
  uint8_t* _InternalSerialize(uint8_t* target, google::protobuf::io::EpsCopyOutputStream*) const override {
    return target;
  }
};

Duration SevenSeconds() {
  Duration duration;
  duration.set_seconds(7);
  return duration;
}

TEST(ProtoBytesTest, AMessageSurvivesTheJourney) {
  const absl::StatusOr<std::string> bytes = SerializeProto(SevenSeconds());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  Duration read;
  read.set_nanos(1);
  ASSERT_TRUE(ParseProto(*bytes, read).ok());
  EXPECT_EQ(read.seconds(), 7);
  EXPECT_EQ(read.nanos(), 0);
}

TEST(ProtoBytesTest, AMessageTooLongForProtobufIsAnErrorAndNotAnEmptyText) {
  const HugeMessage huge;
  EXPECT_EQ(huge.SerializeAsString(), "") << "protobuf's own answer";
  const absl::Status status = SerializeProto(huge).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_NE(status.message().find("test.Huge of 3221225472 bytes"), absl::string_view::npos) << status;
  EXPECT_EQ(SerializeProtoInFixedOrder(huge).status().code(), absl::StatusCode::kResourceExhausted);
  std::string bytes = "before";
  EXPECT_EQ(AppendProto(huge, bytes).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(bytes, "before");
  int asked = 0;
  const auto nothing = [&asked](size_t) -> uint8_t* { return ++asked, nullptr; };
  EXPECT_EQ(SerializeProtoInto(huge, nothing).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(asked, 0);
}

TEST(ProtoBytesTest, AMessageIsWrittenIntoMemoryOfItsLength) {
  std::string bytes;
  ASSERT_TRUE(SerializeProtoInto(SevenSeconds(), [&bytes](size_t length) {
                bytes.resize(length);
                return reinterpret_cast<uint8_t*>(bytes.data());
              }).ok());
  EXPECT_EQ(bytes, *SerializeProto(SevenSeconds()));
}

TEST(ProtoBytesTest, AppendedMessagesAreTheirMerger) {
  std::string bytes;
  ASSERT_TRUE(AppendProto(SevenSeconds(), bytes).ok());
  Duration nanos;
  nanos.set_nanos(5);
  ASSERT_TRUE(AppendProto(nanos, bytes).ok());
  Duration read;
  ASSERT_TRUE(ParseProto(bytes, read).ok());
  EXPECT_EQ(read.seconds(), 7);
  EXPECT_EQ(read.nanos(), 5);
}

TEST(ProtoBytesTest, MapsAreWrittenInOneOrder) {
  Struct forwards;
  Struct backwards;
  for (int i = 0; i < 50; ++i) {
    (*forwards.mutable_fields())[std::to_string(i)].set_number_value(i);
    (*backwards.mutable_fields())[std::to_string(49 - i)].set_number_value(49 - i);
  }
  EXPECT_EQ(SerializeProtoInFixedOrder(forwards).value(), SerializeProtoInFixedOrder(backwards).value());
}

TEST(ProtoBytesTest, BytesOfAnotherKindAreDataLoss) {
  Duration read;
  EXPECT_EQ(ParseProto("\xff\xff", read).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ParseProto(std::string_view(nullptr, size_t{3} << 30), read).code(), absl::StatusCode::kDataLoss);
}

TEST(ProtoBytesTest, APackedMessageIsUnpackedAsItsOwnTypeOnly) {
  Any any;
  ASSERT_TRUE(PackProto(SevenSeconds(), any).ok());
  Duration duration;
  ASSERT_TRUE(UnpackProto(any, duration));
  EXPECT_EQ(duration.seconds(), 7);
  Timestamp timestamp;
  EXPECT_FALSE(UnpackProto(any, timestamp));
}

TEST(ProtoBytesTest, JsonSurvivesTheJourneyAndOtherTextDoesNot) {
  const absl::StatusOr<std::string> json = ProtoToJson(SevenSeconds(), {});
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(*json, R"("7s")");
  Duration read;
  ASSERT_TRUE(JsonToProto(*json, {}, read).ok());
  EXPECT_EQ(read.seconds(), 7);
  EXPECT_EQ(JsonToProto("{", {}, read).code(), absl::StatusCode::kDataLoss);
  Duration impossible;
  impossible.set_seconds(INT64_MAX);
  EXPECT_EQ(ProtoToJson(impossible, {}).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace toolgate
