// Times and durations as protobuf's well-known types hold them, and back.
#ifndef TOOLGATE_COMMON_PROTO_TIME_H_
#define TOOLGATE_COMMON_PROTO_TIME_H_

#include <cstdint>

#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace toolgate {

// Whole microseconds, the grain of everything stored; the rest is cut off towards the past. Infinite times are not
// meant.
inline void SetProtoTime(absl::Time time, google::protobuf::Timestamp& out) {
  const int64_t micros = absl::ToUnixMicros(time);
  // Nanos count forwards, before 1970 too.
  const int64_t within = (micros % 1'000'000 + 1'000'000) % 1'000'000;
  out.set_seconds((micros - within) / 1'000'000);
  out.set_nanos(static_cast<int32_t>(within * 1000));
}

inline absl::Time FromProtoTime(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

// Whole nanoseconds; seconds and nanos have the same sign. Infinite durations are not meant.
inline void SetProtoDuration(absl::Duration duration, google::protobuf::Duration& out) {
  absl::Duration rest;
  out.set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &rest));
  out.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
}

inline google::protobuf::Duration ToProtoDuration(absl::Duration duration) {
  google::protobuf::Duration out;
  SetProtoDuration(duration, out);
  return out;
}

inline absl::Duration FromProtoDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_PROTO_TIME_H_
