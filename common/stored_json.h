// Bounds on JSON that is kept.
#ifndef TOOLGATE_COMMON_STORED_JSON_H_
#define TOOLGATE_COMMON_STORED_JSON_H_

#include <cstddef>

#include "common/json.h"

namespace toolgate {

// With what stored data, and results made of it, are read again. Stored data has passed the limits on arguments; a
// patch may have made it somewhat larger.
inline constexpr JsonLimits kStoredJson{
    .max_bytes = size_t{16} << 20, .max_depth = 128, .max_keys = 1'000'000, .max_values = 1'000'000};

// The deepest JSON that is taken in to be kept. What lies between is for the levels that a result puts around data,
// such as {"steps":[{"result":{"blocks":[{"data":…}]}}]}.
inline constexpr int kMaxGivenDepth = kStoredJson.max_depth - 16;

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_STORED_JSON_H_
