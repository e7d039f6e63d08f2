// Counts of what a serialised message would become, before it is parsed.
#ifndef TOOLGATE_SERVICES_GRPC_WIRE_COUNT_H_
#define TOOLGATE_SERVICES_GRPC_WIRE_COUNT_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "common/json.h"

namespace toolgate::services::grpc {

// A message of 4 MiB can hold two million parts, each of which protobuf makes an object of its own.
struct WireCounts {
  size_t keys = 0;    // Fields of google.protobuf.Struct.
  size_t values = 0;  // google.protobuf.Value.
  size_t parts = 0;   // Other messages, items of repeated texts, and unknown fields, which protobuf keeps as well.
};

// Walks a serialised `type` without making anything of it, and stops at the first part beyond the bounds: those of
// `limits` on keys, values and depth for a Struct, and max_values of other parts. INVALID_ARGUMENT names the bound, its
// limit and the byte; DATA_LOSS when the bytes are no message.
absl::StatusOr<WireCounts> CountWire(google::protobuf::io::ZeroCopyInputStream& bytes,
                                     const google::protobuf::Descriptor& type, const JsonLimits& limits);

// Whether a message of `bytes` is long enough to have more parts than `limits` allows.
inline bool MayExceedParts(size_t bytes, const JsonLimits& limits) {
  constexpr size_t kLeastPartBytes = 2;  // A tag, and a length or value of one byte.
  return bytes / kLeastPartBytes >= limits.max_keys || bytes / kLeastPartBytes >= limits.max_values;
}

// Memory that a message of `bytes` with `counts` takes once it is parsed, generously.
inline int64_t CostOfMessage(size_t bytes, const WireCounts& counts) {
  constexpr size_t kKeyBytes = 192;  // A node of a map, with its text and its Value.
  constexpr size_t kValueBytes = 112;
  constexpr size_t kPartBytes = 96;
  return static_cast<int64_t>(bytes + kKeyBytes * counts.keys + kValueBytes * counts.values +
                              kPartBytes * counts.parts);
}

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_WIRE_COUNT_H_
