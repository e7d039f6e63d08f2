// Bounds of directories for tests.
#ifndef TOOLGATE_TESTS_SUPPORT_DIRECTORY_LIMITS_H_
#define TOOLGATE_TESTS_SUPPORT_DIRECTORY_LIMITS_H_

#include <cstdint>

#include "executors/directory/directory.h"

namespace toolgate::testing {

// Unless a test is about one.
inline constexpr executors::directory::Limits kDirectoryLimits{.max_file_bytes = int64_t{64} << 20,
                                                               .max_total_bytes = int64_t{1} << 30,
                                                               .max_inline_bytes = int64_t{1} << 20,
                                                               .max_image_bytes = int64_t{256} << 20};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_DIRECTORY_LIMITS_H_
