// Bounds of Cypher queries for tests.
#ifndef TOOLGATE_TESTS_SUPPORT_QUERY_BOUNDS_H_
#define TOOLGATE_TESTS_SUPPORT_QUERY_BOUNDS_H_

#include <cstddef>

#include "absl/time/time.h"
#include "executors/cypher/bounds.h"

namespace toolgate::testing {

// Unless a test is about one.
inline constexpr executors::cypher::Bounds kQueryBounds{
    .max_memory_bytes = size_t{64} << 20, .max_rows = 1'000'000, .max_time = absl::Seconds(30)};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_QUERY_BOUNDS_H_
