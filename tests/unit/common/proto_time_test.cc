#include "common/proto_time.h"

#include "gtest/gtest.h"

namespace toolgate {
namespace {

TEST(ProtoTimeTest, KeepsWholeMicrosecondsAndCountsNanosForwards) {
  struct Row {
    int64_t micros;
    int64_t seconds;
    int32_t nanos;
  };
  for (const Row& row : {Row{0, 0, 0}, Row{1, 0, 1000}, Row{1'772'442'000'123'456, 1'772'442'000, 123'456'000},
                         Row{-1, -1, 999'999'000}, Row{-1'000'000, -1, 0}, Row{-1'500'000, -2, 500'000'000}}) {
    google::protobuf::Timestamp time;
    SetProtoTime(absl::FromUnixMicros(row.micros), time);
    EXPECT_EQ(time.seconds(), row.seconds) << row.micros;
    EXPECT_EQ(time.nanos(), row.nanos) << row.micros;
    EXPECT_EQ(FromProtoTime(time), absl::FromUnixMicros(row.micros));
  }
  google::protobuf::Timestamp time;
  SetProtoTime(absl::FromUnixNanos(1999), time);
  EXPECT_EQ(time.nanos(), 1000);
}

TEST(ProtoTimeTest, DurationsKeepNanosecondsAndOneSign) {
  struct Row {
    absl::Duration duration;
    int64_t seconds;
    int32_t nanos;
  };
  for (const Row& row :
       {Row{absl::ZeroDuration(), 0, 0}, Row{absl::Nanoseconds(1), 0, 1}, Row{absl::Milliseconds(2500), 2, 500'000'000},
        Row{absl::Milliseconds(-500), 0, -500'000'000}, Row{absl::Milliseconds(-2500), -2, -500'000'000},
        Row{absl::Seconds(315'576'000'000), 315'576'000'000, 0}}) {
    const google::protobuf::Duration duration = ToProtoDuration(row.duration);
    EXPECT_EQ(duration.seconds(), row.seconds) << row.duration;
    EXPECT_EQ(duration.nanos(), row.nanos) << row.duration;
    EXPECT_EQ(FromProtoDuration(duration), row.duration);
  }
}

}  // namespace
}  // namespace toolgate
